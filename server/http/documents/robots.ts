/** The files for crawlers: robots.txt with its content signals, and the sitemap. */

/** robots.txt (RFC 9309). The signals are inside a group, as contentsignals.org specifies. */
export function robots(baseUrl: string): string {
  return `User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no
Allow: /

Sitemap: ${baseUrl}/sitemap.xml
`;
}

/**
 * The sitemap.
 * @param changes paths, with the day of their last change (YYYY-MM-DD)
 */
export function sitemap(baseUrl: string, changes: readonly [string, string][]): string {
  const urls = changes.map(
    ([path, day]) => `  <url><loc>${xml(`${baseUrl}${path}`)}</loc><lastmod>${day}</lastmod></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
}

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
