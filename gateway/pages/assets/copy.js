// Puts a button on every block of commands that copies it. Browsers allow that on https and on this machine only.
"use strict";

if (navigator.clipboard) {
  for (const block of document.querySelectorAll("pre.run")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    const frame = document.createElement("div");
    frame.className = "copied";
    block.replaceWith(frame);
    frame.append(button, block);
  }
}
