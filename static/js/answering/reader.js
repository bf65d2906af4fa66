// The reader side of the participants' and of the graders' page. Links and searches load their content without leaving
// the page; each has its own URL, so back and forward work. Without this script they are separate pages.
import { Find } from "./find.js";
import { release } from "./forms.js";
import { canSearch } from "./limits.js";
import { say } from "../texts.js";

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
    this.places = new Map(); // by article: where it was left, as a share of its height
    this.openBehind = null; // opens an article in a tab in the background
    this.at = this.last = history.state?.at ?? 0; // this page's number among those read here, and the last one's
    history.scrollRestoration = "manual";
    history.replaceState({ scroll: 0, at: this.at }, "", this.plain(new URL(location.href)));
    document.addEventListener("click", (event) => this.clicked(event, event.target.closest?.("a[href]")));
    document.addEventListener("auxclick", (event) => this.clicked(event, event.target.closest?.("a[href]")));
    document.addEventListener("submit", (event) => this.submitted(event));
    window.addEventListener("popstate", (event) => {
      this.at = event.state?.at ?? 0;
      this.went(event.state?.scroll);
    });
    this.steps = [...document.querySelectorAll("[data-reader-step]")];
    for (const button of this.steps) {
      button.closest("[hidden]")?.removeAttribute("hidden");
      button.addEventListener("click", () => history.go(Number(button.dataset.readerStep)));
    }
    this.shown({ scroll: null, focus: false });
  }

  get lost() {
    return say("The connection may be down. Your answer is not affected. Try again in a moment, or open your study link again.");
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
    if (!link || event.defaultPrevented || link.target === "_blank") return;
    const url = new URL(link.getAttribute("href"), document.baseURI);
    if (!this.isOurs(url)) return;
    if (changed) {
      // As in a browser, Ctrl or the middle button opens a tab in the background; here it is one of the reader's.
      const behind = event.button === 1 || ((event.ctrlKey || event.metaKey) && event.button === 0);
      const path = url.pathname.endsWith("/article/") && url.searchParams.get("path");
      if (!behind || !path || !this.openBehind) return;
      event.preventDefault();
      this.openBehind(path);
      return;
    }
    event.preventDefault();
    this.open(url);
  }

  submitted(event) {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "get") return;
    const url = new URL(form.action);
    if (!this.isOurs(url)) return;
    event.preventDefault();
    if (!canSearch(form.elements.q)) return;
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
      if (response.redirected && !this.isOurs(new URL(response.url))) return location.assign(response.url); // a new consent text
      const part = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!part.getElementById("reader")) throw new Error("nothing to read");
      if (push) {
        this.at += 1;
        this.last = this.at;
        history.pushState({ scroll: 0, at: this.at }, "", this.plain(new URL(url)));
      }
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
    const own = document.importNode(part.getElementById("reader"), true);
    document.getElementById("reader").replaceWith(own);
    release(own);
    this.take(part);
    const tab = document.querySelector(".reader-tab[data-shown]");
    tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // The lists around the reader: tabs, articles read. Where only they are new, the shown tab stays.
  take(part) {
    const isNew = part.getElementById("reader")?.dataset.kind !== "start";
    const tabs = part.getElementById("reader-tabs");
    if (tabs) {
      const { kind, path } = document.getElementById("reader").dataset;
      const fresh = document.importNode(tabs, true);
      for (const tab of fresh.querySelectorAll(".reader-tab")) {
        if (isNew || kind !== "article" || tab.dataset.path !== path) continue;
        tab.dataset.shown = "";
        tab.querySelector("a").setAttribute("aria-current", "page");
      }
      document.getElementById("reader-tabs").replaceWith(fresh);
      release(fresh);
    }
    const list = part.getElementById("visited");
    if (list) this.visited?.replace(list);
  }

  failed(url) {
    const note = document.createElement("div");
    Object.assign(note, { id: "reader", className: "reader" });
    Object.assign(note.dataset, { kind: "away", title: say("Page not loaded") });
    const scroll = document.createElement("div");
    scroll.className = "reader__scroll stack";
    const head = document.createElement("h3");
    Object.assign(head, { className: "reader__count", textContent: say("Page not loaded"), tabIndex: -1 });
    head.dataset.focus = "";
    const text = document.createElement("p");
    text.textContent = this.lost;
    const again = document.createElement("a");
    Object.assign(again, { className: "button", textContent: say("Try again"), href: url.href });
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
    history.replaceState({ scroll, at: this.at }, "", location.href);
  }

  // New content on this side: announce it, scroll it into view, observe it, and move the focus into it.
  shown({ scroll, focus }) {
    const reader = document.getElementById("reader");
    const { kind, title, visit } = reader.dataset;
    document.title = kind === "article" ? `${title} · ${this.title}` : this.title;
    this.page.dataset.reading = kind;
    if (kind !== "start") this.showSide?.("reader");
    for (const field of document.querySelectorAll("input[name=here]")) field.value = location.pathname + location.search;
    for (const button of this.steps) button.disabled = button.dataset.readerStep === "-1" ? this.at === 0 : this.at >= this.last;
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
    const { path, place, seen } = document.getElementById("reader").dataset;
    const begin = () => {
      const page = frame.contentDocument;
      if (begun || !page?.querySelector(".article-body") || page.readyState === "loading") return;
      begun = true;
      const theme = document.documentElement.dataset.theme;
      if (theme) page.documentElement.dataset.theme = theme;
      page.addEventListener("click", (event) => this.clickedInFrame(event, page));
      page.addEventListener("auxclick", (event) => this.clickedInFrame(event, page));
      this.activity?.watch(page);
      const view = frame.contentWindow;
      const side = document.getElementById("reader-side");
      if (visit && this.activity) {
        const height = () => Math.max(1, page.documentElement.scrollHeight);
        const article = {
          visit, seconds: Number(seen ?? 0), furthest: 0, place: null,
          inView: () => frame.isConnected && side.offsetParent !== null,
          share: () => Math.min(1, (view.scrollY + view.innerHeight) / height()),
        };
        view.addEventListener("scroll", () => {
          article.place = view.scrollY / height();
          this.places.set(path, article.place);
        }, { passive: true });
        this.activity.reading(article);
      }
      new Find(document.querySelector("[data-find]"), page, view);
      if (focus) frame.focus({ preventScroll: true });
      const left = this.places.get(path) ?? Number(place ?? 0);
      if (scroll) view.scrollTo(0, scroll);
      else if (location.hash) this.goTo(page, location.hash.slice(1), focus);
      else if (left) view.scrollTo(0, left * page.documentElement.scrollHeight);
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
