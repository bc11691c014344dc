// A drawing by itself: the neighbourhood of an entity, or the ways between two.

export default function ({ data, parentElement, setTriggerValue }) {
  drawOnce(parentElement, data, (given) => [drawing(given, (id) => setTriggerValue("chosen", id))]);
}
