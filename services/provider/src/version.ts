/** Version of the calls, as readiness and the provider's own page tell it. */
export const providerVersion = '0.1.0'
