// Preact with htm: components as functions, their markup as tagged templates, no build step.
import { h } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export { Fragment, createContext, render } from "../vendor/preact.js";
export { useCallback, useContext, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "../vendor/hooks.js";
export const html = htm.bind(h);

/** Class names, those that hold.
 * @param {...(string | false | null | undefined)} names */
export const classes = (...names) => names.filter(Boolean).join(" ");
