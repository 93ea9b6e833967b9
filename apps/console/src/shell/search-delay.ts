/** Pause in ms between the last typed letter and a search. */
export const searchDelayMs = 80
