// The choice between given answers, used like a text field whose value is the chosen one's; empty if there is none.

export class Choice {
  constructor(form) {
    this.form = form;
    this.buttons = [...form.querySelectorAll("input[type=radio][name=text]")];
  }

  get value() {
    return this.buttons.find((button) => button.checked)?.value ?? "";
  }

  set value(text) {
    for (const button of this.buttons) button.checked = button.value === text;
  }

  get defaultValue() {
    return this.buttons.find((button) => button.defaultChecked)?.value ?? "";
  }

  labelOf(text) {
    return this.buttons.find((button) => button.value === text)?.dataset.label;
  }

  addEventListener(kind, act) {
    for (const button of this.buttons) button.addEventListener(kind, act);
  }

  focus() {
    (this.buttons.find((button) => button.checked) ?? this.buttons[0]).focus();
  }
}
