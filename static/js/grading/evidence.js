// The evidence beside an answer: its pages open in the reader, and the ticks are preserved. Escape returns.
import { Reader } from "../answering/reader.js";
import { say } from "../texts.js";
import { isText, numberOf } from "./keys.js";

const READING = "grading--reading";

/** A reader with the pages of the evidence above it. */
export class EvidenceReader extends Reader {
  swap(part) {
    super.swap(part);
    const head = part.getElementById("evidence-head");
    if (!head) return;
    const own = document.importNode(head, true);
    document.getElementById("evidence-head").replaceWith(own);
    own.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }
}

export class Evidence extends EvidenceReader {
  constructor(root) {
    super(root);
    this.home = location.href;
    this.panel = document.getElementById("evidence");
    this.main = root.querySelector(".grading__main");
    this.activity = { watch: (page) => this.listenIn(page), reading() {} };
  }

  get lost() {
    return say("The connection may be down, or another grader has this answer now. Your ticks are not affected.");
  }

  get isOpen() {
    return !this.panel.hidden;
  }

  get form() {
    return this.main.querySelector("form.grade");
  }

  // --- Opening and closing ---------------------------------------------------------------------------------------

  clicked(event, link) {
    const changed = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
    if (link && !changed && !event.defaultPrevented) {
      if (link.matches("[data-evidence-close]")) {
        event.preventDefault();
        this.close();
        return;
      }
      if (link.matches("[data-evidence]")) {
        this.page.dataset.base = new URL(link.href).pathname.replace(/article\/$/, "");
        link.removeAttribute("target"); // needed only without JavaScript
      }
    }
    super.clicked(event, link);
  }

  async open(address, options) {
    this.reveal();
    await super.open(address, options);
  }

  swap(part) {
    super.swap(part);
    if (this.isAlone) this.main.scrollIntoView(); // where the question is
  }

  went(scroll) {
    if (this.isOurs(new URL(location.href))) {
      super.went(scroll);
      return;
    }
    // Back at the answer; or at content read beside another answer, which is gone.
    history.replaceState({ scroll: 0 }, "", this.home);
    if (this.isOpen) this.hide();
  }

  reveal() {
    if (this.isOpen) return;
    this.scrolled = window.scrollY;
    this.panel.hidden = false;
    this.page.classList.add(READING);
    if (this.isAlone) window.scrollTo(0, 0);
  }

  hide() {
    const wasAlone = this.isAlone;
    this.loading?.abort();
    this.panel.hidden = true;
    this.page.classList.remove(READING);
    document.title = this.title;
    this.empty();
    if (wasAlone) window.scrollTo(0, this.scrolled);
    this.toAnswer();
  }

  empty() {
    const reader = document.createElement("div");
    Object.assign(reader, { id: "reader", className: "reader" });
    reader.dataset.kind = "start";
    document.getElementById("reader").replaceWith(reader);
  }

  // Returns to the answer, with all ticks.
  close() {
    this.keepScroll();
    history.pushState({ scroll: 0 }, "", this.home);
    this.hide();
  }

  // Another answer is shown: the open content belongs to the previous one.
  leave() {
    if (this.isOpen) {
      history.replaceState({ scroll: 0 }, "", this.home);
      this.hide();
    }
    this.panel.querySelector(".evidence-list")?.remove();
    delete this.page.dataset.base;
  }

  // --- The keyboard ----------------------------------------------------------------------------------------------

  // Whether the answer is hidden while the evidence is in view.
  get isAlone() {
    return this.isOpen && this.form?.querySelector("[name=note]").offsetParent === null;
  }

  holds(target) {
    return this.panel.contains(target);
  }

  listenIn(page) {
    page.addEventListener("keydown", (event) => {
      if (!event.isComposing && this.keyed(event)) event.preventDefault();
    });
  }

  // Handles a key for the evidence; returns whether it did anything. In the evidence, digits open its pages.
  keyed(event) {
    const { target, key } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
    const inReader = target.ownerDocument !== document || this.holds(target);
    const inList = !inReader && Boolean(target.closest?.(".evidence-list"));
    if (key === "Escape" && (inReader || inList || !isText(target))) {
      if (this.isOpen) this.close();
      else if (inList) this.toAnswer();
      else return false;
      return true;
    }
    if (this.page.dataset.keys !== "on" || event.repeat || isText(target)) return false;
    if (key === "e") return inReader || inList ? this.backFrom(inReader) : this.toEvidence();
    const number = inReader || inList ? numberOf(event) : null;
    if (number === null) return false;
    (this.isOpen ? this.panel : this.main).querySelector(`[data-evidence="${number + 1}"]`)?.click();
    return true;
  }

  backFrom(inReader) {
    if (inReader && this.isAlone) this.close();
    else this.toAnswer();
    return true;
  }

  toEvidence() {
    const inside = this.panel.querySelector("#article-frame, [data-focus]");
    const place = this.isOpen && inside ? inside : this.main.querySelector("[data-evidence]");
    place?.focus();
    return Boolean(place);
  }

  toAnswer() {
    const place = this.form?.querySelector("[data-focus]");
    place?.focus({ preventScroll: !this.isAlone });
  }
}
