// An evidence article on a separate page: its links and searches load their content, as beside an answer.
import { say } from "../texts.js";
import { EvidenceReader } from "./evidence.js";

class Page extends EvidenceReader {
  get lost() {
    return say("The connection may be down. Try again in a moment.");
  }
}

new Page(document.getElementById("evidence-page"));
