// Requests to the server. The two results are distinct: a response with its status, or no response at all.

const TIMEOUT = 12_000;
const TOKEN = "input[name=csrfmiddlewaretoken]";

let token = document.querySelector(TOKEN)?.value ?? "";

// A new CSRF token for this page and its forms: after days, or after using the link again, the old one may be refused.
async function renew(standing) {
  const answer = await ask(standing);
  if (!answer.body?.token) return answer;
  token = answer.body.token;
  for (const input of document.querySelectorAll(TOKEN)) input.value = token;
  return null;
}

async function read(response) {
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  return { status: response.status, body: isJson ? await response.json() : null };
}

export async function ask(url) {
  const options = { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(TIMEOUT), cache: "no-store" };
  return read(await fetch(url, options));
}

async function once(url, fields, keepalive) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) for (const each of [value].flat()) body.append(name, each);
  const headers = { Accept: "application/json", "X-CSRFToken": token };
  const signal = keepalive ? undefined : AbortSignal.timeout(TIMEOUT);
  return read(await fetch(url, { method: "POST", body, headers, keepalive, signal, redirect: "error" }));
}

// Sends fields and resolves to the page's parts that change, as a document. An error has the server's text as `reason`.
export async function postPart(url, fields) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const headers = { "X-Reader": "part", "X-CSRFToken": token };
  const response = await fetch(url, { method: "POST", body, headers, signal: AbortSignal.timeout(TIMEOUT), redirect: "error" });
  if (!response.headers.get("Content-Type")?.startsWith("text/html") || !response.ok) {
    const reason = response.status === 422 ? (await response.json()).text : undefined;
    throw Object.assign(new Error("refused"), { reason });
  }
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

// Resolves to {status, body}; body is null unless it is JSON. Rejects if there is no response.
export async function post(url, fields, { keepalive = false, standing = null } = {}) {
  if (!token && standing) await renew(standing);
  const answer = await once(url, fields, keepalive);
  if (answer.status !== 403 || answer.body || !standing || keepalive) return answer;
  return (await renew(standing)) ?? once(url, fields, false);
}
