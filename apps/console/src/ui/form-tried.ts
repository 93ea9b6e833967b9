import { createContext } from 'react'

/** Whether users tried to submit the form around a field: from then on, all of its errors are shown. */
export const FormTried = createContext(false)
