/** The API reference of this server's own contract. Nothing is fetched from elsewhere. */

interface Scalar {
  createApiReference(selector: string, configuration: Readonly<Record<string, unknown>>): void;
}

declare const Scalar: Scalar;

const server = location.origin + location.pathname.replace(/\/docs$/, '');

Scalar.createApiReference('#app', {
  url: `${server}/openapi.json`,
  servers: [{ url: server, description: 'This server' }],
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
