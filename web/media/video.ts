/** Whether a file is a video, by what the browser or its name says. */
export const isVideo = (file: Blob): boolean =>
  file.type.startsWith('video/') ||
  (file instanceof File && /\.(mp4|mov|mkv|webm|m4v)$/i.test(file.name));
