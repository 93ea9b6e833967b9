import type { Texts } from '../texts.ts'

/** Which condition an error is about. */
export const conditionPlaces: Texts['conditionPlaces'] = {
  byId: (id) => `Bedingung ${id}`,
  byPosition: (position) => `Bedingung an Stelle ${position}`,
}
