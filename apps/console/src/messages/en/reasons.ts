import type {
  conditionReasons,
  conditionRules,
  eventReasons,
  fieldRules,
  paymentReasons,
  proofReasons,
} from '@cairn/protocol'
import { translatable } from '../translatable.ts'

/** Every code of a reason that the console can show. */
export type ReasonCode =
  | keyof typeof proofReasons
  | keyof typeof conditionReasons
  | keyof typeof paymentReasons
  | keyof typeof eventReasons
  | keyof typeof fieldRules
  | keyof typeof conditionRules

/**
 * Reasons of failed checks, conditions, payments, pins and webhooks, and rules of fields, by code, with `{name}` for values. In English, reasons bring their sentences
 * along. Other languages have all of them: `Readonly<Record<ReasonCode, string>>`.
 */
export const reasons = translatable<Readonly<Partial<Record<ReasonCode, string>>>>('reasons', {})
