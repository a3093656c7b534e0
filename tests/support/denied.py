"""A browser that denies a page all it may, as in a frame of another site or by its owner's wish."""

DENY = """(() => {
    const denied = () => {
        throw new DOMException("Access is denied for this document.", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore"])
        Object.defineProperty(window, name, { get: denied });
    Object.defineProperty(document, "cookie", { get: () => "", set: () => {} });
    for (const name of ["clipboard", "serviceWorker", "share", "storage", "locks", "wakeLock"])
        Object.defineProperty(Navigator.prototype, name, { get: () => undefined });
    Object.defineProperty(Crypto.prototype, "subtle", { get: () => undefined });
    Object.assign(window, { BroadcastChannel: denied, SharedWorker: denied });
    Object.assign(window, { Notification: undefined });
    document.execCommand = () => false;
    Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("denied"));
})();"""
