/** The page of `/docs`: every call, to read and to try. */
export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn: every call</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="calls"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** Apart from the page, so that its policy needs no inline script. */
export const docsScript = `window.SwaggerUIBundle({ url: '/openapi.json', dom_id: '#calls', deepLinking: true, tryItOutEnabled: true, validatorUrl: null })
`
