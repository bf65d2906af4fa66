// Keys for texts: 80 random bits for the page, the same for all of its texts, and a count of 48 bits, as one UUID.

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export const PAGE = hex(crypto.getRandomValues(new Uint8Array(10)));

let count = 0;

export const nextKey = () => {
  count += 1;
  const digits = PAGE + count.toString(16).padStart(12, "0");
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join("-");
};
