/** API version, as reported by readiness and the provider's description. */
export const providerVersion = '0.1.0'
