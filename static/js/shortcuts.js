// The box that turns single-key shortcuts on and off: they interfere with speech input. It is shown where scripts run.

const read = (stored) => {
  try {
    return localStorage.getItem(stored) !== "off";
  } catch {
    return true;
  }
};

const remember = (stored, on) => {
  try {
    localStorage.setItem(stored, on ? "on" : "off");
  } catch {
    // Without storage the choice lasts as long as the page.
  }
};

/** Show the box in a hidden label, and call `set` with whether shortcuts are on, now and whenever that changes. */
export const offerSwitch = (label, stored, set) => {
  set(read(stored));
  const box = label?.querySelector("input");
  if (!box) return;
  label.hidden = false;
  box.checked = read(stored);
  box.addEventListener("change", () => {
    remember(stored, box.checked);
    set(box.checked);
  });
};
