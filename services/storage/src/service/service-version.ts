/** The version that `/readyz` and the OpenAPI document name. */
export const serviceVersion = '0.1.0'
