// What an administrator sets for everybody: models, answers, news, keys; and what leaves the machine by it.
import { html, useState } from "../parts/html.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { t } from "../parts/words.js";
import { call } from "../service/client.js";
import { Answers } from "./answers.js";
import { ChatModel } from "./chat_model.js";
import { Destinations } from "./destinations.js";
import { Embedding } from "./embedding.js";
import { Keys } from "./keys.js";
import { News } from "./news.js";
import { People } from "./people.js";

/** @param {{ session: any }} props */
export function View({ session }) {
  const isOperator = session?.is_operator !== false;
  const loaded = useResource("v1/settings");
  const [changed, setChanged] = useState(/** @type {any} */ (null));
  const settings = changed ?? loaded.value;
  const change = async (/** @type {{ values?: Record<string, string | number>, configuration?: string }} */ body) => {
    try {
      setChanged(await call("PATCH", "v1/settings", { json: body }));
      showToast(t("Stored. It counts from the next question on."));
    } catch (problem) {
      showToast(/** @type {Error} */ (problem).message || t("The service does not answer"));
    }
  };
  return html`<div class="view settings">
    <h1>${t("Settings")}</h1>
    <p class="lead">${isOperator ? t("For everybody who uses this service. Colours and language are in the menu at the foot of the side.") : t("Keys and users beside you. Models and answers are set for everybody by whoever runs this service.")}</p>
    ${loaded.problem && html`<${Trouble} problem=${loaded.problem} onAgain=${loaded.reload} />`}
    ${!settings && !loaded.problem && html`<${Loading} />`}
    ${settings && !isOperator && html`<${Keys} session=${session} /><${People} session=${session} /><${Destinations} destinations=${settings.destinations} />`}
    ${settings && isOperator && html`
      ${settings.remarks.map((/** @type {string} */ remark) => html`<p class="warning" role="note">${t("After a restart: {remark}.", { remark })}</p>`)}
      <${ChatModel} models=${settings.models} onChange=${change} />
      <${Answers} answers=${settings.answers} hasChat=${settings.models.models.some((/** @type {any} */ each) => each.role === "chat")} onChange=${change} />
      <${Embedding} onMoved=${loaded.reload} />
      <${News} onChange=${change} />
      <${Keys} session=${session} />
      <${People} session=${session} />
      <${Destinations} destinations=${settings.destinations} />`}
  </div>`;
}
