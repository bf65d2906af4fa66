// An article of the evidence on a page of its own: links in it and searches bring what they lead to, as beside an answer.
import { EvidenceReader } from "./evidence.js";

class Page extends EvidenceReader {
  get lost() {
    return "The connection may be down. Try again in a moment.";
  }
}

new Page(document.getElementById("evidence-page"));
