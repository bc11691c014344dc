// Streamlit's place for files has a name, which a role of "presentation" would hide: it is made the group that it is.

const PLACE = '[data-testid="stFileUploaderDropzone"]';

export default function ({ parentElement }) {
  const root = parentElement.querySelector(".root");
  const mend = () => document.querySelectorAll(`${PLACE}[role="presentation"]`).forEach((place) => place.setAttribute("role", "group"));
  root.watch ??= new MutationObserver(mend);
  root.watch.observe(document.querySelector(".stApp"), { childList: true, subtree: true });
  mend();
  return () => root.watch.disconnect();
}
