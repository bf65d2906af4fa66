// Passkeys: <form data-passkey="create|get"> asks the browser for one and sends its response in the field "credential".
(() => {
  "use strict";

  const PROBLEMS = {
    InvalidStateError: "This device already has a passkey of your account. Use it, or choose another device.",
    NotAllowedError: "No passkey was given: the browser cancelled the request, or it took too long. Try again.",
    SecurityError: "Browsers allow passkeys only over HTTPS and at localhost. Use an authenticator app here.",
  };
  const OTHER = "The browser could not use a passkey. Use an authenticator app or a recovery code instead.";

  // Binary fields are base64url in JSON.
  const decoded = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
  const encoded = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const withIds = (credentials) => (credentials ?? []).map((item) => ({ ...item, id: decoded(item.id) }));

  const ask = async (kind, options) => {
    if (!window.PublicKeyCredential) throw new DOMException("", window.isSecureContext ? "NotSupportedError" : "SecurityError");
    const publicKey = { ...options, challenge: decoded(options.challenge) };
    if (kind === "create") {
      publicKey.user = { ...options.user, id: decoded(options.user.id) };
      publicKey.excludeCredentials = withIds(options.excludeCredentials);
      return navigator.credentials.create({ publicKey });
    }
    publicKey.allowCredentials = withIds(options.allowCredentials);
    return navigator.credentials.get({ publicKey });
  };

  const asJson = (credential) => {
    const response = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (credential.response[name]) response[name] = encoded(credential.response[name]);
    }
    return {
      id: credential.id,
      rawId: encoded(credential.rawId),
      type: credential.type,
      response,
      clientExtensionResults: credential.getClientExtensionResults(),
    };
  };

  const prepare = (form) => {
    const kind = form.dataset.passkey;
    const data = JSON.parse(form.querySelector("script[type='application/json']").textContent);
    const options = (kind === "create" ? data.creation_options : data.request_options).publicKey;
    const problem = form.querySelector("[data-passkey-problem]");
    form.querySelector("button[type=submit]").hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      problem.hidden = true;
      try {
        form.elements.credential.value = JSON.stringify(asJson(await ask(kind, options)));
      } catch (error) {
        problem.querySelector("[data-passkey-text]").textContent = PROBLEMS[error.name] ?? OTHER;
        problem.hidden = false;
        return;
      }
      form.submit();
    });
  };
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("form[data-passkey]").forEach(prepare));
})();
