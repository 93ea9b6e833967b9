import { createPlural } from '../plural.ts'

export const { plural, counted } = createPlural<'one'>('de')
