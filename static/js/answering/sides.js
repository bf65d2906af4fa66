// On a narrow screen one side of the desk is in view, and two buttons change which.

export function watchSides(page) {
  const items = [...page.querySelectorAll(".answer-page-switch__item")];
  const show = (side) => {
    page.dataset.side = side;
    for (const item of items) {
      if (item.dataset.side === side) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
  };
  for (const item of items) {
    item.addEventListener("click", (event) => {
      event.preventDefault();
      show(item.dataset.side);
      document.getElementById(`${item.dataset.side}-side`).focus({ preventScroll: true });
      window.scrollTo(0, 0);
    });
  }
  // A skip link to a side also shows it.
  for (const link of document.querySelectorAll('.skip-link[href$="-side"]')) {
    link.addEventListener("click", () => show(link.getAttribute("href").slice(1).replace("-side", "")));
  }
  show(document.getElementById("reader").dataset.kind === "start" ? "answer" : "reader");
  return show;
}
