import { createContext } from 'react'

/** Whether users tried to submit the form around a field: then all of its errors are shown. */
export const FormTried = createContext(false)
