/* From a folder (file://) browsers start no workers, and the search of the site is one. There, and only there, this
   stands in for a worker: its script runs in a hidden frame. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = this.frame.contentWindow;
      inner.document.open();
      inner.document.close();
      inner.postMessage = (data) => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      inner.importScripts = (...urls) =>
        urls.reduce((done, each) => done.then(() => this.load(each)), Promise.resolve());
      this.loaded = this.load(url);
    }

    load(url) {
      const page = this.frame.contentWindow.document;
      return new Promise((resolve, reject) => {
        const script = page.createElement("script");
        Object.assign(script, { src: new URL(url, location), onload: resolve, onerror: reject });
        page.documentElement ? page.documentElement.append(script) : page.append(script);
      });
    }

    postMessage(data) {
      this.loaded.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
