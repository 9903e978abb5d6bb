// Making elements: all that is shown goes in as text, so that no name can be taken for markup.

/** An element with attributes and children; a text is a child as it stands. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

export function table(heads, rows, caption = "") {
  return element("div", { class: "scrolls" }, element("table", {},
    caption ? element("caption", {}, caption) : "",
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, String(head))))),
    element("tbody", {}, ...rows.map((row) => (row instanceof HTMLElement ? row
      : element("tr", {}, ...row.map((cell) => element("td", { class: looksOf(cell) },
        cell instanceof Node ? cell : String(cell)))))))));
}

/** Numbers stand at the right, short texts on one line, long ones have room. */
function looksOf(cell) {
  if (typeof cell === "number") return "number";
  return String(cell).length > 30 && !(cell instanceof Node) ? "long" : "short";
}

/** Hand a text to the reader as a file. */
export function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
