import * as v from 'valibot'

/** A boolean of the Kubo RPC, in the format of its clients. As in Kubo, one without a value is set. */
export const kuboFlag = /* @__PURE__ */ (() =>
  v.optional(
    v.pipe(
      v.picklist(['true', 'false', '1', '0', '']),
      v.transform((text) => text !== 'false' && text !== '0'),
    ),
  ))()
