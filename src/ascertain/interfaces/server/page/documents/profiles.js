// What documents are, by the profiles of the service: how they are cut and searched.
import { t } from "../parts/words.js";

export const PROFILES = /** @type {Record<string, () => string>} */ ({
  "": () => t("As the service is configured"),
  docs: () => t("Documents and manuals"),
  news: () => t("News"),
  papers: () => t("Scientific papers"),
  podcasts: () => t("Talks and podcasts"),
});
