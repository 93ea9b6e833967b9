import { onTestFinished } from 'vitest'
import * as english from './en/en.ts'
import { translate } from './translatable.ts'

/** Lets a test translate texts, and restores the English ones afterwards for the other files of its worker. */
export function keepTexts(): void {
  const kept = Object.values(english).map((texts) => ({ texts, copy: { ...texts } }))
  onTestFinished(() => {
    translate({})
    for (const { texts, copy } of kept) {
      for (const name of Object.keys(texts)) Reflect.deleteProperty(texts, name)
      Object.assign(texts, copy)
    }
  })
}
