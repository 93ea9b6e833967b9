import { translatable } from '../translatable.ts'

/** Which condition an error is about. Apart from the other texts of conditions, because every page says errors. */
export const conditionPlaces = translatable('conditionPlaces', {
  byId: (id: number) => `Condition ${id}`,
  byPosition: (position: number) => `Condition at position ${position}`,
})
