// For how long the page was in use: in view, and something done within the last minute. Nothing else of what is done is
// looked at, and only the number of seconds is sent.

const USED_FOR = 60_000;
const TICK = 1000;
const LONGEST_STEP = 3000; // a browser that slept has not been used

export class Activity {
  constructor() {
    this.seconds = 0;
    this.used = performance.now();
    this.last = performance.now();
    this.article = null;
    this.left = []; // articles that were left, and what was seen of them is not told yet
    this.onLeaving = null;
    this.watch(document);
    setInterval(() => this.tick(), TICK);
  }

  watch(target) {
    const note = () => { this.used = performance.now(); };
    for (const kind of ["keydown", "pointerdown", "pointermove", "wheel", "touchstart", "scroll"]) {
      target.addEventListener(kind, note, { passive: true, capture: true });
    }
  }

  // article: null, or {visit, seconds, share()} whose seconds are counted while its side of the desk is in view.
  reading(article) {
    const before = this.article;
    this.article = article;
    if (!before || before.seconds === 0) return;
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

  // What is to be told now; given back if it did not arrive.
  take() {
    const told = { active: this.seconds.toFixed(1) };
    this.seconds = 0;
    return this.article ? { ...told, ...this.seen(this.article) } : told;
  }

  // The same of each article that was left: its seconds altogether, so that telling them twice does no harm.
  takeLeft() {
    return this.left.splice(0).map((article) => ({ article, told: { ...this.take(), ...this.seen(article) } }));
  }

  seen({ visit, seconds, furthest }) {
    return { visit, visible: seconds.toFixed(1), scrolled: furthest.toFixed(3) };
  }

  giveBack(told, article = null) {
    this.seconds += Number(told.active);
    if (article) this.left.push(article);
  }
}
