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
    this.article = article;
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
    if (this.article) {
      told.visit = this.article.visit;
      told.visible = this.article.seconds.toFixed(1);
      told.scrolled = this.article.furthest.toFixed(3);
    }
    return told;
  }

  giveBack(told) {
    this.seconds += Number(told.active);
  }
}
