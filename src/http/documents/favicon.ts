/** A plumb line. The image is inline, so that it needs no request. */
export const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#174ea6"/>' +
    '<path d="M16 4v13" stroke="#fff" stroke-width="2"/><path d="M11 17h10l-5 11z" fill="#fff"/></svg>',
)}`;
