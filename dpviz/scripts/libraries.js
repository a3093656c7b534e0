// @ts-check
// Scripts beside the page, each loaded once.

// Asked for again if it did not come.
export function loaded(address) {
  window.dpvizScripts ??= new Map();
  if (!window.dpvizScripts.has(address)) {
    const coming = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = resolve;
      script.onerror = () => {
        window.dpvizScripts.delete(address);
        reject(new Error(`${address} did not arrive`));
      };
      document.head.append(script);
    });
    window.dpvizScripts.set(address, coming);
  }
  return window.dpvizScripts.get(address);
}
