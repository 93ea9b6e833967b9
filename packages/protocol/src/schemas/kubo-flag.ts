import * as v from 'valibot'
import { fieldMessage } from '../reasons/field-rules.ts'

/** The texts that Go parses as a boolean, which Kubo accepts: clients in Python send `True` and `False`. */
const setTexts = ['true', '1', '', 'True', 'TRUE', 't', 'T'] as const
const unsetTexts = ['false', '0', 'False', 'FALSE', 'f', 'F'] as const

/** A boolean of the Kubo RPC, in the format of its clients. As in Kubo, one without a value is set. */
export const kuboFlag = /* @__PURE__ */ (() =>
  v.optional(
    v.pipe(
      v.picklist([...setTexts, ...unsetTexts], fieldMessage('NOT_A_BOOLEAN')),
      v.transform((text) => setTexts.some((set) => set === text)),
    ),
  ))()

/** Whether a text of {@link kuboFlag} does not set the flag. */
export const isUnsetKuboFlag = (text: unknown): boolean => unsetTexts.some((unset) => unset === text)

/** A flag that may be sent, but not be set. */
export const kuboUnsetFlag = /* @__PURE__ */ (() => v.optional(v.picklist(unsetTexts)))()
