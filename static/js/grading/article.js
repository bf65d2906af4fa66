// An article of the evidence on a page of its own: links in it and searches bring what they lead to, as beside an answer.
import { Reader } from "../desk/reader.js";

class Page extends Reader {
  get lost() {
    return "The connection may be down. Try again in a moment.";
  }

  swap(part) {
    super.swap(part);
    const head = part.getElementById("evidence-head");
    if (head) document.getElementById("evidence-head").replaceWith(document.importNode(head, true));
  }
}

new Page(document.getElementById("evidence-page"));
