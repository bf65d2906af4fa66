// Measures the active time of the page: in view, and with some input within the last minute. No other input data is
// used, and only the number of seconds is sent.

const USED_FOR = 60_000;
const TICK = 1000;
const SEEN = "manyhop:seen";
const LONGEST_STEP = 3000; // time asleep is not active time

export class Activity {
  constructor() {
    this.seconds = 0;
    this.used = performance.now();
    this.last = performance.now();
    this.article = null;
    this.left = []; // closed articles whose reading time is not sent yet
    this.onLeaving = null;
    this.watch(document);
    setInterval(() => this.tick(), TICK);
    window.addEventListener("pagehide", () => this.remember());
  }

  // For a reload, which may be answered before the server has the time that is sent when the page is left.
  remember() {
    try {
      const { visit, seconds } = this.article ?? {};
      if (visit) sessionStorage.setItem(SEEN, JSON.stringify({ visit, seconds }));
    } catch {
      // Then the reload counts on from what the server has.
    }
  }

  recall(article) {
    try {
      const { visit, seconds } = JSON.parse(sessionStorage.getItem(SEEN)) ?? {};
      if (visit === article.visit) article.seconds = Math.max(article.seconds, seconds);
      sessionStorage.removeItem(SEEN);
    } catch {
      // There was nothing to recall.
    }
  }

  watch(target) {
    const note = () => { this.used = performance.now(); };
    for (const kind of ["keydown", "pointerdown", "pointermove", "wheel", "touchstart", "scroll"]) {
      target.addEventListener(kind, note, { passive: true, capture: true });
    }
  }

  // article: null, or {visit, seconds, share()} whose seconds are counted while its side of the answer page is in view.
  reading(article) {
    const before = this.article;
    this.article = article;
    if (article) this.recall(article);
    if (!before) return;
    this.left.push(before);
    this.onLeaving?.();
  }

  tick() {
    const now = performance.now();
    const passed = Math.min(now - this.last, LONGEST_STEP) / 1000;
    this.last = now;
    if (document.visibilityState !== "visible" || now - this.used > USED_FOR) return;
    this.seconds += passed;
    if (this.article?.inView()) {
      this.article.seconds += passed;
      this.article.furthest = Math.max(this.article.furthest, this.article.share());
    }
  }

  // The time to send now; restored if the request fails.
  take() {
    const times = { active: this.seconds.toFixed(1) };
    this.seconds = 0;
    return this.article ? { ...times, ...this.seen(this.article) } : times;
  }

  // The same for each closed article: its total seconds, so that sending them twice does no harm.
  takeLeft() {
    return this.left.splice(0).map((article) => ({ article, times: { ...this.take(), ...this.seen(article) } }));
  }

  seen({ visit, seconds, furthest, place }) {
    const times = { visit, visible: seconds.toFixed(1), scrolled: furthest.toFixed(3) };
    return place === null ? times : { ...times, place: place.toFixed(4) };
  }

  giveBack(times, article = null) {
    this.seconds += Number(times.active);
    if (article) this.left.push(article);
  }
}
