// Without scripts, every control of the answer page belongs to its one form, so that each button submits all of it. A
// script saves each text by itself, so the controls are given back to the forms around them.

export function release(scope) {
  for (const control of scope.querySelectorAll("[form=answer-form]")) control.removeAttribute("form");
}
