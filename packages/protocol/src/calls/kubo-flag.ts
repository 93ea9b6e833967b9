import * as v from 'valibot'

/** A boolean of the Kubo RPC, in the format of its clients. */
export const kuboFlag = /* @__PURE__ */ (() =>
  v.optional(
    v.pipe(
      v.picklist(['true', 'false', '1', '0', '']),
      v.transform((text) => text === 'true' || text === '1'),
    ),
  ))()
