import type { ErrorCode } from '@cairn/protocol'
import { translatable } from '../translatable.ts'

/** What happened, without a full stop, and what to do. */
type ErrorText = { message: string; hint: string }

/** Errors by code. In English, errors bring their texts along. A language may leave out codes that the console does not show. */
export const errors = translatable<Readonly<Partial<Record<ErrorCode, ErrorText>>>>('errors', {})
