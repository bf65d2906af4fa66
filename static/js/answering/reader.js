// The reader side of the participants' and of the graders' page. Links and searches load their content without leaving
// the page; each has its own URL, so back and forward work. Without this script they are separate pages.
import { Find } from "./find.js";

const TIMEOUT = 20_000;
const OURS = /^(search|article|passages|outside)\/$/;
const NOT_KEPT = ["from", "search", "rank"]; // how the reader came to the article, sent only once

export class Reader {
  constructor(page, activity, visited, showSide) {
    Object.assign(this, { page, activity, visited, showSide });
    this.title = document.title;
    this.announcer = document.getElementById("announcer");
    this.search = document.getElementById("reader-search");
    this.loading = null;
    history.scrollRestoration = "manual";
    history.replaceState({ scroll: 0 }, "", this.plain(new URL(location.href)));
    document.addEventListener("click", (event) => this.clicked(event, event.target.closest?.("a[href]")));
    document.addEventListener("submit", (event) => this.submitted(event));
    window.addEventListener("popstate", (event) => this.went(event.state?.scroll));
    this.shown({ scroll: null, focus: false });
  }

  get lost() {
    return "The connection may be down. Your answer is not affected. Try again in a moment, or open your study link again.";
  }

  // The URL prefix of everything read at this question.
  get base() {
    return this.page.dataset.base ?? "";
  }

  // Back or forward navigation.
  went(scroll) {
    this.open(location.href, { push: false, scroll, again: true });
  }

  // Whether a URL is one of this question's on the reader side.
  isOurs(url) {
    return url.origin === location.origin && url.pathname.startsWith(this.base) && OURS.test(url.pathname.slice(this.base.length));
  }

  plain(url) {
    for (const name of NOT_KEPT) url.searchParams.delete(name);
    return url;
  }

  clicked(event, link) {
    const changed = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
    if (!link || changed || event.defaultPrevented || link.target === "_blank") return;
    const url = new URL(link.getAttribute("href"), document.baseURI);
    if (!this.isOurs(url)) return;
    event.preventDefault();
    this.open(url);
  }

  submitted(event) {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "get") return;
    const url = new URL(form.action);
    if (!this.isOurs(url)) return;
    event.preventDefault();
    url.search = new URLSearchParams(new FormData(form)).toString();
    this.open(url);
  }

  // Loads the content of a URL. push: a new entry in the history; scroll: the position where an article was left;
  // again: a return to it, so that a search is not logged as a new one.
  async open(address, { push = true, scroll = null, again = false } = {}) {
    const url = new URL(address, location.href);
    this.loading?.abort();
    const loading = new AbortController();
    this.loading = loading;
    const slow = setTimeout(() => loading.abort("slow"), TIMEOUT);
    if (push) this.keepScroll();
    this.page.classList.add("answer-page--loading");
    try {
      const response = await fetch(this.isOurs(url) ? url : `${this.base}search/?q=`, {
        headers: { "X-Reader": "part", ...(again ? { "X-Again": "yes" } : {}) }, signal: loading.signal, cache: "no-store",
      });
      const part = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!part.getElementById("reader")) throw new Error("nothing to read");
      if (push) history.pushState({ scroll: 0 }, "", this.plain(new URL(url)));
      this.swap(part);
      this.shown({ scroll, focus: true });
    } catch (error) {
      if (loading.signal.aborted && loading.signal.reason !== "slow") return;
      this.failed(url);
    } finally {
      clearTimeout(slow);
      if (this.loading === loading) this.page.classList.remove("answer-page--loading");
    }
  }

  swap(part) {
    document.getElementById("reader").replaceWith(document.importNode(part.getElementById("reader"), true));
    const list = part.getElementById("visited");
    if (list) this.visited?.replace(list);
  }

  failed(url) {
    const note = document.createElement("div");
    Object.assign(note, { id: "reader", className: "reader" });
    Object.assign(note.dataset, { kind: "away", title: "Page not loaded" });
    const scroll = document.createElement("div");
    scroll.className = "reader__scroll stack";
    const head = document.createElement("h3");
    Object.assign(head, { className: "reader__count", textContent: "Page not loaded", tabIndex: -1 });
    head.dataset.focus = "";
    const text = document.createElement("p");
    text.textContent = this.lost;
    const again = document.createElement("a");
    Object.assign(again, { className: "button", textContent: "Try again", href: url.href });
    const line = document.createElement("p");
    line.append(again);
    scroll.append(head, text, line);
    note.append(scroll);
    document.getElementById("reader").replaceWith(note);
    this.shown({ scroll: null, focus: true });
  }

  keepScroll() {
    const frame = document.getElementById("article-frame");
    const scroll = frame?.contentWindow?.scrollY ?? document.querySelector(".reader__scroll")?.scrollTop ?? 0;
    history.replaceState({ scroll }, "", location.href);
  }

  // New content on this side: announce it, scroll it into view, observe it, and move the focus into it.
  shown({ scroll, focus }) {
    const reader = document.getElementById("reader");
    const { kind, title, visit } = reader.dataset;
    document.title = kind === "article" ? `${title} · ${this.title}` : this.title;
    if (kind !== "start") this.showSide?.("reader");
    for (const element of reader.querySelectorAll(".with-script")) element.hidden = false;
    this.activity?.reading(null);
    const frame = document.getElementById("article-frame");
    if (frame) this.frameIn(frame, { visit, scroll, focus });
    else if (focus) {
      reader.querySelector("[data-focus]")?.focus({ preventScroll: true });
      if (scroll) reader.querySelector(".reader__scroll").scrollTop = scroll;
    }
    if (focus) this.announcer.textContent = title;
    const query = new URL(location.href).searchParams.get("q");
    if (kind === "results" && query !== null) this.search.elements.q.value = query;
  }

  frameIn(frame, { visit, scroll, focus }) {
    let begun = false;
    const begin = () => {
      const page = frame.contentDocument;
      if (begun || !page?.querySelector(".article-body") || page.readyState === "loading") return;
      begun = true;
      const theme = document.documentElement.dataset.theme;
      if (theme) page.documentElement.dataset.theme = theme;
      page.addEventListener("click", (event) => this.clickedInFrame(event, page));
      this.activity?.watch(page);
      const view = frame.contentWindow;
      const side = document.getElementById("reader-side");
      if (visit && this.activity) {
        this.activity.reading({
          visit, seconds: 0, furthest: 0,
          inView: () => frame.isConnected && side.offsetParent !== null,
          share: () => Math.min(1, (view.scrollY + view.innerHeight) / Math.max(1, page.documentElement.scrollHeight)),
        });
      }
      new Find(document.querySelector("[data-find]"), page, view);
      if (focus) frame.focus({ preventScroll: true });
      if (scroll) view.scrollTo(0, scroll);
      else if (location.hash) this.goTo(page, location.hash.slice(1), focus);
      frame.dataset.ready = "";
    };
    frame.addEventListener("load", begin);
    begin();
  }

  clickedInFrame(event, page) {
    const link = event.target.closest?.("a[href]");
    if (!link) return;
    const href = link.getAttribute("href");
    const inside = href.startsWith("#") || href.startsWith("about:srcdoc#");
    if (inside && !event.defaultPrevented) {
      event.preventDefault();
      this.goTo(page, href.slice(href.indexOf("#") + 1));
    } else this.clicked(event, link);
  }

  goTo(page, name, focus = true) {
    let anchor = name;
    try {
      anchor = decodeURIComponent(name);
    } catch {
      // Then it is shown unchanged.
    }
    const target = page.getElementById(anchor);
    if (!target) return;
    target.scrollIntoView({ block: "start" });
    if (!focus) return;
    target.setAttribute("tabindex", "-1");
    target.focus({ preventScroll: true });
  }
}
