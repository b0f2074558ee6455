/** German, which addresses the reader with “Sie”. */
// As in English: Captioner, Deepgram, DeepL, Google, LibreTranslate, AssemblyAI, OpenAI, Groq, Cloudflare, Name, Text, System, Format, Start, SRT, CPS, Timecode, Alt, Tab, Position, Person, Original, min, Organisation, Webhooks
import {
  apart,
  clock,
  counted,
  dateTime,
  day,
  duration,
  isMac,
  keyNames,
  list,
  megabyteFigure,
  megabytes,
  number,
  percent,
  seconds,
  sentence,
  signed,
} from '../format.ts';
import { saidIn } from '../english-sentences.ts';
import type { FirstTexts, OtherTexts } from '../every-text.ts';
import { UPLOAD } from '../../../server/contract/limits.ts';

const counts = counted<'one'>();
const captions = (value: number): string => `${number(value)} Untertitel`;
const terms = (value: number): string => counts(value, { one: '# Begriff', other: '# Begriffe' });
const places = (value: number): string => counts(value, { one: '# Stelle', other: '# Stellen' });
const warnings = (value: number): string =>
  counts(value, { one: '# Warnung', other: '# Warnungen' });
const files = (value: number): string => counts(value, { one: '# Datei', other: '# Dateien' });
const recordings = (value: number): string =>
  counts(value, { one: '# Aufnahme', other: '# Aufnahmen' });
const jobs = (value: number): string => counts(value, { one: '# Auftrag', other: '# Aufträge' });
const words = (value: number): string => counts(value, { one: '# Wort', other: '# Wörter' });
/** Rounded down: what is not done is not shown as done. */
const done = (share: number): string => percent(Math.floor(share * 100) / 100);

/** What the first screen needs, and the job that it starts. */
export const first: FirstTexts = {
  units: {
    seconds: (value) => `${value} s`,
    minutes: (time) => `${time} min`,
    hours: (time) => `${time} h`,
    megabytes: (value) => `${value} MB`,
    keys: {
      Ctrl: 'Strg',
      Alt: 'Alt',
      Shift: 'Umschalt',
      Enter: 'Eingabe',
      Escape: 'Esc',
      Space: 'Leertaste',
      Backspace: 'Rücktaste',
      Delete: 'Entf',
      Home: 'Pos1',
      End: 'Ende',
      PageUp: 'Bild↑',
      PageDown: 'Bild↓',
      Tab: 'Tab',
    },
  },
  shell: {
    name: 'Captioner',
    skip: 'Zum Inhalt springen',
    header: {
      start: 'Neue Untertitel',
      pastRuns: 'Bibliothek',
      terms: 'Begriffe',
      settings: 'Einstellungen',
      signIn: 'Anmelden',
      account: (email) => `Konto ${email}`,
      signOut: 'Abmelden',
      signOutAsk:
        'Dieser Browser bewahrt Aufnahmen, Ergebnisse und Ihre Korrekturen auf. Wer ihn benutzt, kann sie öffnen.',
      signOutHint: 'Daten auf dem Server sind davon nicht betroffen.',
      signOutKeep: 'Abmelden und Daten behalten',
      signOutForget: 'Abmelden und Daten löschen',
      toDark: 'Dunkle Farben',
      toLight: 'Helle Farben',
      guide: 'Anleitung',
    },
    offline:
      'Keine Verbindung zum Server. Nichts geht verloren; die Verbindung wird von selbst wiederhergestellt.',
    wrong:
      'Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu; Ihre Änderungen sind gespeichert.',
    loading: 'Wird geladen …',
    reload: 'Neu laden',
    cancel: 'Abbrechen',
    close: 'Schließen',
    start: {
      title: 'Einen Vortrag untertiteln',
      lead: 'Aufnahme ablegen, Untertitel mit richtigen Namen erhalten, prüfen, veröffentlichen.',
      drop: 'Video- oder Audiodatei hier ablegen',
      dropless: 'Eine Video- oder Audiodatei',
      choose: 'Datei auswählen',
      hint: 'Hochgeladen wird nur der Ton, als kleine MP3-Datei. Ein Video bleibt auf diesem Computer, solange Sie dem Auftrag später keine kleine Kopie hinzufügen.',
      hintSound: 'Sie wird als kleine MP3-Datei hochgeladen.',
      sound: 'Der Ton',
      soundKeep:
        'Bleibt beim Auftrag, bis Sie ihn abschließen. Sie und Ihr Arbeitsbereich hören ihn in jedem Browser, ebenso alle, denen Sie einen Link schicken.',
      soundDelete:
        'Wird gelöscht, sobald er transkribiert ist. Danach kann ihn nur dieser Browser abspielen.',
      own: 'Untertitel, die Sie schon haben',
      ownHint:
        'Dateien in SRT, VTT, ASS, TTML, STL, SCC und anderen Formaten werden zur Durchsicht geöffnet, allein oder mit ihrem Video. Legen Sie sie oben ab.',
      noCaptions: (name) => `In ${name} wurden keine Untertitel gefunden.`,
      keepsNothing:
        'Dieser Browser erlaubt Seiten nicht, Daten zu speichern. Deshalb lassen sich diese Untertitel hier nicht öffnen.',
      sample: 'Beispiel ausprobieren',
      sampleName: 'Beispielvortrag',
      sampleHint:
        'Eine halbe Minute, schon untertitelt. Nichts wird hochgeladen; kein Konto nötig.',
      letGo: 'Irgendwo loslassen',
      another: 'Andere Datei auswählen',
      underWay: (name) => `${name} wird noch hochgeladen.`,
      files: recordings,
      queueUnderWay: (left) =>
        counts(left, {
          one: '# Aufnahme ist noch in Arbeit.',
          other: '# Aufnahmen sind noch in Arbeit.',
        }),
      empty: (name) => `${name} ist leer. Wählen Sie eine andere Datei.`,
      topic: 'Worum geht es?',
      topicHint: 'Namen und Begriffe des Fachs werden dann erkannt.',
      topicExample: 'MCP Night, Anmeldung von Agenten',
      language: 'Sprache',
      detect: 'Sprache erkennen',
      speakers: 'Zahl der Sprecher',
      findSpeakers: 'An den Stimmen erkennen',
      make: 'Untertitel erstellen',
      more: 'Weitere Einstellungen',
    },
    terms: {
      glossary: 'Glossar',
      glossaryHint:
        'Namen und Begriffe in der gewünschten Schreibweise, je einer pro Zeile oder durch Kommas getrennt.',
      paste: 'Namen in einem Text oder einer Datei finden',
      packs: 'Begriffspakete',
      packsHint:
        'Sie werden nach Ihrem Thema, Ihrem Glossar und dem Gesagten ausgewählt. Ein angekreuztes Paket wird in jedem Fall verwendet.',
      packTerms: terms,
      exclude: 'Weglassen',
      excludeHint: 'Begriffe der Pakete, die in diesem Vortrag nicht vorkommen.',
    },
    provider: {
      title: 'Spracherkennung und Korrekturen',
      speech: 'Spracherkennung',
      about: (model, limits) =>
        [`Modell: ${model}`, limits]
          .filter((said) => said !== '')
          .map(sentence)
          .join(' '),
      audit: 'Wer Namen und Begriffe korrigiert',
      auditAutomatic: 'Automatisch',
      auditNone: 'Niemand: Die Wörter bleiben wie gehört',
      mode: 'Wie sorgfältig',
      modes: {
        publishable: 'Zum Veröffentlichen: am sorgfältigsten',
        fast: 'Schnell',
        experimental: 'Experimentell',
      },
      names: {
        edge: 'Auf diesem Server',
        apertium: 'Apertium, nach Regeln',
        deepgram: 'Deepgram',
        deepl: 'DeepL',
        google: 'Google',
        libretranslate: 'LibreTranslate',
        assemblyai: 'AssemblyAI',
        openai: 'OpenAI',
        groq: 'Groq',
        none: 'Keiner',
      },
      confidence: 'Nur korrigieren bei einer Sicherheit von mindestens (0 bis 1)',
    },
    format: {
      title: 'Format der Untertitel',
      maxLineChars: 'Zeichen pro Zeile',
      maxLines: 'Zeilen pro Untertitel',
      maxDuration: 'Längster Untertitel, in Sekunden',
      minDuration: 'Kürzester Untertitel, in Sekunden',
    },
    run: {
      title: (name) => `Untertitel für ${name}`,
      untitled: 'Untertitel',
      makingNote: (made, length) => `${clock(made)} von ${clock(length)}`,
      uploadNote: (sent, bytes) => `${megabyteFigure(sent)} von ${megabytes(bytes)}`,
      startOver: 'Von vorn beginnen',
      signIn: 'Melden Sie sich an, um diesen Auftrag zu sehen.',
      notFound: 'Diesen Auftrag gibt es in diesem Arbeitsbereich nicht, oder er ist abgelaufen.',
      refused: (message) => `Der Server hat die Anfrage abgelehnt. ${message}`,
    },
  },
  problems: {
    byCode: {
      audio_not_found:
        'Die Aufnahme liegt nicht mehr auf dem Server. Laden Sie sie noch einmal hoch.',
      audio_unreadable:
        'Die Aufnahme lässt sich nicht lesen. Sie ist beschädigt oder keine MP3-Datei.',
      audio_too_long: 'Die Aufnahme ist zu lang. Teilen Sie sie in kürzere Stücke.',
      provider_not_configured: 'Dieser Anbieter ist auf dem Server nicht eingerichtet.',
      provider_unauthorized:
        'Der Anbieter hat den Zugang des Servers abgelehnt. Der Betreiber muss ihn erneuern.',
      provider_rate_limited:
        'Der Anbieter nimmt zurzeit keine weiteren Anfragen an. Versuchen Sie es später noch einmal.',
      provider_unavailable:
        'Der Anbieter ist zurzeit nicht erreichbar. Versuchen Sie es später noch einmal.',
      provider_timeout: 'Der Anbieter hat nicht rechtzeitig geantwortet.',
      provider_bad_response: 'Die Antwort des Anbieters war nicht zu verwenden.',
      model_unavailable: 'Dieses Modell bietet der Anbieter nicht an.',
      language_unsupported: 'Diese Sprache kann hier nicht erkannt werden.',
      audit_unparseable:
        'Die Antwort des Sprachmodells zu Namen und Begriffen war nicht zu verwenden.',
      internal: 'Auf dem Server ist etwas schiefgegangen.',
      answer_too_large: 'Die Antwort wäre zu groß. Fragen Sie nach weniger auf einmal.',
      captions_not_ready: 'Die Untertitel sind noch nicht fertig.',
      comment_not_found: 'Diesen Kommentar gibt es nicht mehr.',
      idempotency_conflict: 'Diese Anfrage wurde schon mit anderem Inhalt gestellt.',
      incomplete_upload: 'Die Datei ist nicht vollständig angekommen.',
      insufficient_right: 'Dieser Link erlaubt das nicht.',
      insufficient_scope: 'Ihr Schlüssel erlaubt das nicht.',
      invalid_credential: 'Ihr Schlüssel gilt nicht mehr. Melden Sie sich neu an.',
      invalid_payload: 'Eine Angabe ist nicht zulässig. Prüfen Sie Ihre Eingaben.',
      key_not_found: 'Diesen Schlüssel gibt es nicht mehr.',
      link_not_found: 'Diesen Link gibt es nicht mehr.',
      measurement_not_found: 'Diese Messung gibt es nicht mehr.',
      missing_credential: 'Melden Sie sich zuerst an.',
      not_found: 'Unter dieser Adresse gibt es nichts.',
      payload_too_large: 'Das ist mehr, als der Server auf einmal annimmt.',
      precondition_failed: 'Es wurde inzwischen von jemand anderem geändert.',
      precondition_required: 'Es wurde inzwischen von jemand anderem geändert.',
      quota_exceeded: 'Das Kontingent ist aufgebraucht. Fragen Sie den Betreiber des Servers.',
      rate_limited: 'Das waren zu viele Anfragen. Warten Sie eine Weile.',
      review_not_found: 'Diese Durchsicht gibt es nicht.',
      rule_not_applicable: 'Diese Regel lässt sich so nicht anwenden.',
      rule_not_found: 'Diese Regel gibt es nicht mehr.',
      run_not_ended: 'Der Auftrag ist noch nicht zu Ende.',
      run_not_found: 'Diesen Auftrag gibt es nicht, oder er ist abgelaufen.',
      runs_in_progress: 'Es sind noch Aufträge in Arbeit.',
      sound_not_found: 'Zu diesem Auftrag ist kein Ton mehr da.',
      term_not_found: 'Diesen Begriff gibt es nicht mehr.',
      too_many_comments:
        'Es gibt schon so viele Kommentare wie möglich. Löschen Sie zuerst einige.',
      too_many_links: 'Es gibt schon so viele Links wie möglich. Widerrufen Sie zuerst einige.',
      too_many_measurements: 'Es gibt schon so viele Messungen wie möglich.',
      translation_not_ended: 'Die Übersetzung ist noch in Arbeit.',
      translation_not_found: 'Diese Übersetzung gibt es nicht mehr.',
      unavailable: 'Der Server kann das gerade nicht. Versuchen Sie es gleich noch einmal.',
      unsupported_media_type: 'Dateien dieser Art nimmt der Server nicht an.',
      upload_busy: 'Diese Datei wird gerade noch hochgeladen.',
      upload_expired: 'Das Hochladen hat zu lange gedauert. Beginnen Sie es neu.',
      upload_not_found: 'Die hochgeladene Datei ist nicht mehr da. Laden Sie sie noch einmal hoch.',
      upload_too_large: `Die Datei ist zu groß: Möglich sind höchstens ${UPLOAD.maxSize}.`,
      upload_too_slow:
        'Die Datei kam zu langsam an. Versuchen Sie es mit einer besseren Verbindung.',
      video_required: 'Dafür wird ein Video gebraucht.',
    },
    other: (message) => `Der Server meldet auf Englisch: „${message}“`,
  },
  progressText: {
    making: 'Kleine MP3-Datei wird erstellt',
    uploading: 'Wird hochgeladen',
    starting: 'Wird gestartet',
    reading: 'Datei wird gelesen',
    signIn: 'Bereit zum Hochladen: wartet auf Ihre Anmeldung',
    percent: done,
    left: (s) => `noch ${s < 60 ? `${s} s` : `${Math.round(s / 60)} min`}`,
    soFar: (s) => `bisher ${duration(s)}`,
    stayHere: 'Lassen Sie diese Seite offen, bis alles hochgeladen ist.',
    tell: 'Benachrichtigen, wenn es fertig ist',
    telling: 'Ihr Browser benachrichtigt Sie, wenn es fertig ist.',
    tellRefused: 'Ihr Browser lässt keine Benachrichtigungen dieser Seite zu.',
    told: (name) => `Untertitel für ${name}`,
    toldDone: 'Sie können geprüft werden.',
    toldOther: 'Es gibt keine Untertitel. Die Seite zeigt, warum.',
    cancel: 'Abbrechen',
    failed: 'Das Untertiteln ist fehlgeschlagen',
    queued: 'Wartet',
    queuedBehind: (runs) =>
      runs === 0
        ? 'kommt als Nächstes'
        : counts(runs, {
            one: '# Ihrer Aufträge ist vorher dran',
            other: '# Ihrer Aufträge sind vorher dran',
          }),
    loading: 'Sprachmodell wird geladen',
    stages: {
      payload: 'Wird vorbereitet',
      storage: 'Spracherkennung wird vorbereitet',
      transcription: 'Wird transkribiert',
      moderation: 'Gesagtes wird geprüft',
      terminology_audit: 'Namen und Begriffe werden korrigiert',
      correction: 'Namen und Begriffe werden korrigiert',
      captioning: 'Wird in Untertitel aufgeteilt',
      workflow: 'Wird abgeschlossen',
    },
    heardTitle: 'Transkript bis hierher',
    heardNote: 'Eine Vorschau. Begriffe werden später in den Untertiteln korrigiert.',
    heardFirst: 'Die ersten Wörter sind transkribiert.',
    heardUntil: (s) => `Bisher transkribiert: ${duration(s)}.`,
    canClose: 'Sie können diese Seite schließen. Die Untertitel finden Sie dann in der Bibliothek.',
    cancelling: 'Wird abgebrochen …',
    conversion: {
      no_audio: 'Diese Datei enthält keinen Ton. Wählen Sie eine andere.',
      unreadable:
        'Diese Datei lässt sich weder als Video noch als Ton lesen. Sie ist vielleicht beschädigt oder von anderer Art.',
      codec_unsupported:
        'Dieser Browser kann den Ton dieser Datei nicht lesen. Wandeln Sie sie mit diesem Befehl in MP3 um und legen Sie die MP3-Datei hier ab:',
      failed:
        'Die MP3-Datei konnte nicht erstellt werden. Versuchen Sie es noch einmal, oder erstellen Sie sie mit diesem Befehl und legen Sie sie hier ab:',
      too_large: `Als MP3-Datei ist diese Aufnahme größer als die erlaubten ${UPLOAD.maxSize}. Teilen Sie sie in Stücke und legen Sie alle zugleich ab.`,
    },
  },
  runEndText: {
    otherWays: 'Oder versuchen Sie dies',
    providers: {
      edge: 'diesem Server',
      deepgram: 'Deepgram',
      assemblyai: 'AssemblyAI',
      openai: 'OpenAI',
      groq: 'Groq',
    },
    transcribeHere: 'Auf diesem Server transkribieren',
    transcribeWith: (name) => `Mit ${name} transkribieren`,
    auditHere: 'Begriffe auf diesem Server prüfen',
    auditWith: (name) => `Begriffe mit ${name} prüfen`,
    auditNone: 'Untertitel ohne Prüfung der Begriffe erstellen',
    auditNoneHint: 'Die Wörter bleiben, wie sie erkannt wurden.',
    anyModel: 'Das Modell vom Server wählen lassen',
    uploadAgain: 'Noch einmal hochladen',
    otherFile: 'Andere Datei auswählen',
    otherFileHint: 'Sie wird mit denselben Einstellungen untertitelt.',
    settings: 'Sprache oder Anbieter ändern',
    language: 'Sprache',
    provider: 'Transkribieren mit',
    back: 'Zurück',
    tryAgain: 'Noch einmal versuchen',
    settingsHint:
      'Dieselbe Aufnahme wird noch einmal untertitelt; alle anderen Einstellungen bleiben gleich.',
    listen: 'Aufnahme',
    notHere:
      'Die Aufnahme ist in diesem Browser nicht gespeichert. Öffnen Sie die Datei, um sie zu hören.',
    open: 'Aufnahme öffnen',
    tooLongHint:
      'Teilen Sie sie zuerst in Stücke, zum Beispiel mit diesem Befehl, und legen Sie dann alle Stücke zugleich ab:',
    noSpeech: 'In dieser Datei wurde keine Sprache erkannt',
    noSpeechAdvice:
      'Wenn Sie Sprache hören, erkennt sie vielleicht ein anderer Anbieter oder eine andere Spracheinstellung.',
    byHand: 'Untertitel von Hand schreiben',
    byHandHint:
      'Öffnet den Editor ohne Untertitel. Jeder neue Untertitel beginnt an der aktuellen Stelle der Aufnahme.',
    blockedListen: 'Diese Stelle anhören',
    cancelled: 'Abgebrochen',
    cancelledNote: 'Der Auftrag wurde abgebrochen.',
    recording: {
      deleted: 'Seine Aufnahme wurde auf dem Server gelöscht.',
      retained: 'Seine Aufnahme liegt wie gewünscht noch auf dem Server.',
      skipped: 'Seine Aufnahme liegt noch auf dem Server und wird gelöscht, wenn sie abläuft.',
      failed: 'Seine Aufnahme konnte noch nicht gelöscht werden. Der Server versucht es weiter.',
    },
    failedAt: (stage) => `Fehlgeschlagen bei diesem Schritt: ${stage}.`,
    again: 'Noch einmal ausführen',
    chooseFile: 'Datei auswählen',
    needFile:
      'Die Aufnahme ist hier nicht gespeichert. Wählen Sie die Datei noch einmal aus, um sie mit dieser Änderung auszuführen.',
    blocked: 'Dieser Inhalt ist hier nicht erlaubt',
    blockedWhy: (severity) =>
      `Was gesagt wird, verstößt gegen die Inhaltsregeln dieses Dienstes (Schwere: ${severity}).`,
    blockedWhere: 'Wo in der Aufnahme',
    blockedAdvice:
      'Dieselbe Aufnahme würde wieder gesperrt. Schneiden Sie diese Stelle heraus, oder fragen Sie den Betreiber dieses Dienstes.',
  },
  queueText: {
    title: 'Aufnahmen',
    done: (finished, all) => `${finished} von ${recordings(all)} fertig`,
    allDone: (all) => (all === 1 ? 'Die Aufnahme ist fertig.' : `Alle ${all} sind fertig.`),
    waiting: 'Wartet',
    making: 'MP3 wird erstellt',
    uploading: 'Wird hochgeladen',
    starting: 'Wird gestartet',
    queued: 'Wartet auf dem Server',
    running: 'Wird untertitelt',
    completed: 'Fertig',
    silent: 'Keine Sprache',
    blocked: 'Nicht erlaubt',
    failed: 'Fehlgeschlagen',
    cancelled: 'Abgebrochen',
    review: (name) => `${name} durchsehen`,
    reviewShort: 'Durchsehen',
    look: (name) => `Warum ${name} keine Untertitel hat`,
    lookShort: 'Warum?',
    cancel: (name) => `${name} abbrechen`,
    cancelShort: 'Abbrechen',
    again: (name) => `Noch einmal versuchen: ${name}`,
    againShort: 'Noch einmal',
    stay: 'Lassen Sie diese Seite offen, bis alles hochgeladen ist. Danach laufen die Aufträge ohne sie weiter und stehen in der Bibliothek.',
    more: 'Weitere Aufnahmen hinzufügen',
    another: 'Andere Dateien öffnen',
    captionsTitle: 'Untertiteldateien',
    read: (read, all) => `${read} von ${files(all)} gelesen`,
    allRead: (all) => `${files(all)} gelesen.`,
    found: (found, warned) => `${captions(found)}, ${warnings(warned)}`,
    format: 'Format',
    convert: 'Alle herunterladen',
    without: (name) => `In ${name} wurde keine Sprache erkannt.`,
    converted: (all) => `${files(all)} heruntergeladen.`,
  },
};

interface Figure {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const figure = ({ value, low, high }: Figure): string =>
  `${percent(value, 1)} (${percent(low, 1)} bis ${percent(high, 1)})`;

const rules: Readonly<Record<string, string>> = {
  line_length: 'Zeilenlänge',
  line_count: 'Zahl der Zeilen',
  reading_speed: 'Lesegeschwindigkeit',
  min_duration: 'Mindestdauer',
  max_duration: 'Höchstdauer',
  gap: 'Abstand zwischen Untertiteln',
  small_gap: 'Kleine Lücken',
  on_frames: 'Einzelbilder',
  shot_in: 'Beginn nahe an einem Schnitt',
  shot_out: 'Ende nahe an einem Schnitt',
  two_speakers: 'Zwei Sprecher',
};

const whyNot: Readonly<Record<string, string>> = {
  line_length: 'ein Wort oder der Satz eines von zwei Sprechern ist länger als eine Zeile',
  line_count: 'die Zeilen lassen sich nicht auf die Sprecher verteilen',
  two_speakers: 'seine Sprecher haben nicht je eine eigene Zeile',
  max_duration: 'es gibt keine Stelle, an der er sich trennen lässt',
  gap: 'in der Überschneidung wird vielleicht gesprochen; setzen Sie die Zeiten nach Gehör',
  line_break: 'kein anderer Umbruch seiner Zeilen ist besser',
};

const translationStates: Readonly<Record<string, string>> = {
  queued: 'Wartet, bis sie an der Reihe ist',
  running: 'Wird übersetzt',
  completed: 'Übersetzt',
  incomplete: 'Nicht alles übersetzt',
  failed: 'Nicht übersetzt',
  cancelled: 'Abgebrochen',
};

interface Gets {
  readonly hears: boolean;
  readonly sees: boolean;
}

const mail = (asks: string, url: string, until: string, { hears, sees }: Gets): string =>
  [
    'Guten Tag,',
    '',
    asks,
    sees
      ? 'Die Seite spielt die Aufnahme mit ihrem Bild ab.'
      : hears
        ? 'Die Seite spielt die Aufnahme ab.'
        : 'Die Seite hat keinen Ton.',
    '',
    url,
    '',
    `Sie brauchen kein Konto. Der Link gilt bis ${until}.`,
  ].join('\n');

const shortened = (name: string): string => (name.length > 40 ? `${name.slice(0, 39)}…` : name);

/** By the number of parts that finishing deletes. */
const ended = (parts: readonly ('sound' | 'video')[]): string =>
  list(parts.map((part) => (part === 'sound' ? 'den Ton' : 'das Video')));

/** Everything else. */
export const others: OtherTexts = {
  signIn: {
    title: 'Anmelden',
    expired: 'Ihr Schlüssel gilt nicht mehr. Melden Sie sich neu an; nichts geht verloren.',
    why: 'Wir schicken Ihnen einen Code per E-Mail. Ein Passwort gibt es nicht.',
    kept: 'Ihre Datei bleibt ausgewählt.',
    email: 'E-Mail-Adresse',
    send: 'Code senden',
    sending: 'Wird gesendet …',
    code: 'Code aus der E-Mail',
    codeSent: (email) =>
      `Ein sechsstelliger Code wurde an ${email} geschickt. Er gilt zehn Minuten.`,
    codeWritten:
      'Es ist kein Mailserver eingerichtet. Die E-Mail ist die neueste Datei im Ordner „outbox“ des Datenordners.',
    digit: (at) => `Ziffer ${at} von 6`,
    checking: 'Wird geprüft …',
    keep: 'Angemeldet bleiben, solange Captioner geöffnet ist',
    keepHint:
      'In allen Tabs, auch nach dem Neuladen. Mit dem Schließen des letzten werden Sie abgemeldet.',
    again: 'Andere Adresse verwenden oder neuen Code senden',
    problems: {
      invalid_email: 'Das ist keine E-Mail-Adresse. Prüfen Sie sie und senden Sie noch einmal.',
      invalid_otp:
        'Falscher Code. Sehen Sie in der neuesten E-Mail nach und versuchen Sie es noch einmal.',
      too_many_attempts: 'Zu viele falsche Codes. Fordern Sie einen neuen an.',
      claim_expired: 'Dieser Code ist abgelaufen. Fordern Sie einen neuen an.',
      rate_limited:
        'Es wurden zu viele Codes angefordert. Warten Sie eine Weile und versuchen Sie es dann noch einmal.',
      no_answer: 'Keine Verbindung zum Server. Versuchen Sie es noch einmal.',
    },
    tooMany: (wait, at) =>
      `Es wurden zu viele Codes angefordert. Der nächste kann in ${duration(Math.max(60, Math.ceil(wait / 60) * 60)).replace(':00', '')} gesendet werden, um ${at}.`,
    problem: (message) => `Die Anmeldung ist fehlgeschlagen. ${message}`,
  },
  paste: {
    file: 'Folien, ein Programm oder eine Liste der Vortragenden auswählen …',
    reading: (names) => `${names} wird gelesen …`,
    unreadable: 'Diese Datei lässt sich nicht lesen.',
    notSearched: 'Der Text ließ sich nicht durchsuchen. Versuchen Sie es noch einmal.',
    groups: { person_name: 'Personen', company_name: 'Unternehmen', product_name: 'Produkte' },
    others: 'Andere Namen und Begriffe',
    takeNone: 'Keine ankreuzen',
    text: 'Oder einen Text einfügen: Folien, eine Zusammenfassung, eine Liste der Vortragenden, eine Webseite',
    textHint: 'Dateien und Text werden in diesem Browser gelesen und nirgendwohin gesendet.',
    find: 'Namen und Begriffe finden',
    none: 'Es wurden keine Namen oder Begriffe gefunden.',
    found: (found) =>
      counts(found, {
        one: '# Name oder Begriff gefunden. Kreuzen Sie an, was gesprochen wird.',
        other: '# Namen und Begriffe gefunden. Kreuzen Sie an, was gesprochen wird.',
      }),
    cut: (characters) => `Nur die ersten ${number(characters)} Zeichen wurden gelesen.`,
    takeAll: 'Alle ankreuzen',
    times: (times) => `${times} ×`,
  },
  preview: {
    title: 'Vorschau',
    summary: (cues, longest, lines) =>
      `${captions(cues)} für diese halbe Minute; längste Zeile: ${longest} Zeichen; höchstens ${counts(lines, { one: '# Zeile', other: '# Zeilen' })}.`,
    sample:
      'Gestern Abend zeigte das Team, wie sich ein Agent zum ersten Mal anmeldet. Er liest eine Seite, fragt den Menschen nach einem Code, und von da an hat er einen eigenen Schlüssel, mit nicht mehr Rechten, als er braucht. Niemand musste ein Geheimnis von einem Fenster ins andere kopieren, und niemand musste warten.',
  },
  pastRuns: {
    title: 'Bibliothek',
    none: 'Noch keine Aufträge. Beginnen Sie mit einer Aufnahme.',
    signIn: 'Melden Sie sich an, um die Aufträge Ihres Arbeitsbereichs zu sehen.',
    here: 'In diesem Browser gespeichert',
    onService: 'Auf dem Server',
    more: 'Mehr',
    files: {
      title: 'Stand und Genauigkeit aller Vorträge',
      about:
        'Für alle, die für Barrierefreiheit verantwortlich sind: was untertitelt, durchgesehen, freigegeben und gemessen ist, das Schlechteste zuerst.',
      table: 'Tabelle (CSV)',
      statement: 'Konformitätserklärung zum Ausfüllen',
    },
    search: 'Namen und Untertitel durchsuchen',
    notFound: (wanted) => `Kein Auftrag heißt „${wanted}“.`,
    noneSuch: 'Kein Auftrag ist von dieser Art.',
    filters: {
      state: 'Stand',
      work: 'Arbeit',
      language: 'Sprache',
      person: 'Zugewiesen an',
      order: 'Reihenfolge',
    },
    options: {
      state: {
        '': 'Jeder Stand',
        completed: 'Fertig',
        active: 'Wartend oder in Arbeit',
        ended: 'Fehlgeschlagen, gesperrt oder abgebrochen',
        silent: 'Keine Sprache',
      },
      work: {
        '': 'Durchgesehen oder nicht',
        open: 'Mit Stellen zum Prüfen',
        unreviewed: 'Nicht durchgesehen',
        reviewed: 'Durchgesehen',
        in_review: 'In Durchsicht',
        approved: 'Freigegeben',
        changed: 'Seit der Freigabe geändert',
      },
      order: {
        newest: 'Neueste zuerst',
        oldest: 'Älteste zuerst',
        name: 'Nach Namen',
        longest: 'Längste zuerst',
        doubts: 'Meiste offene Stellen zuerst',
        due: 'Bald fällige zuerst',
      },
    },
    allLanguages: 'Alle Sprachen',
    anybody: 'Zugewiesen oder nicht',
    nobody: 'Niemandem zugewiesen',
    person: (who) => `Zugewiesen an ${who}`,
    assignSelected: 'Zuweisen …',
    assignTitle: (runs) => `${jobs(runs)} zuweisen`,
    assign: 'Zuweisen',
    assigning: (at, all) => `${at} von ${all} wird zugewiesen …`,
    select: (name) => `${name} auswählen`,
    selectAll: (runs) => `Alle ${number(runs)} auswählen`,
    selected: (runs) => `${jobs(runs)} ausgewählt`,
    downloadSelected: 'Als ZIP herunterladen',
    downloading: (at, all) => `${at} von ${all} wird heruntergeladen …`,
    nothingSelected: 'Keiner dieser Aufträge hat Untertitel.',
    eraseSelected: 'Löschen …',
    erasing: (at, all) => `${at} von ${all} wird gelöscht …`,
    eraseManyTitle: (runs) => `${jobs(runs)} löschen?`,
    eraseMany:
      'Untertitel, Transkripte, Berichte und Durchsichten werden gelöscht, auf dem Server und in diesem Browser. Das lässt sich nicht rückgängig machen.',
    andMore: (runs) => `Und ${number(runs)} weitere.`,
    said: 'In Untertiteln',
    notSaid: (wanted) => `Kein Untertitel enthält „${wanted}“.`,
    reviewed: 'Durchgesehen',
    doubts: (open) => `${places(open)} zu prüfen`,
    download: (name) => `Untertitel von ${name} als SRT herunterladen`,
    nothing: (name) => `${name} hat keine Untertitel.`,
    rename: (name) => `${name} umbenennen`,
    renameTitle: 'Umbenennen',
    newName: 'Name',
    renameHint: 'Alle in Ihrem Arbeitsbereich sehen diesen Namen.',
    save: 'Speichern',
    states: {
      queued: 'Wartet',
      running: 'In Arbeit',
      completed: 'Fertig',
      silent: 'Keine Sprache',
      blocked: 'Gesperrt',
      failed: 'Fehlgeschlagen',
      cancelled: 'Abgebrochen',
    },
    forget: (name) => `${name} aus diesem Browser löschen`,
    erase: {
      button: (name) => `${name} löschen`,
      title: 'Diesen Auftrag löschen?',
      ask: (name) =>
        `Die Untertitel von ${name}, Transkript, Bericht und Durchsicht werden gelöscht, auf dem Server und in diesem Browser. Das lässt sich nicht rückgängig machen.`,
      hint: 'Der Auftrag wird für alle in Ihrem Arbeitsbereich gelöscht. Daraus gelernte Begriffe bleiben.',
      confirm: 'Löschen',
    },
  },
  termsText: {
    title: 'Begriffe Ihres Arbeitsbereichs',
    intro: 'Jeder neue Auftrag Ihres Arbeitsbereichs erkennt diese Namen und Begriffe.',
    signIn: 'Melden Sie sich an, um die Begriffe Ihres Arbeitsbereichs zu sehen.',
    none: 'Noch keine Begriffe. Fügen Sie einen hinzu, importieren Sie eine Liste, oder lassen Sie Ihre Durchsichten sie hinzufügen.',
    find: 'Begriff suchen',
    noneFound: 'Keine passenden Begriffe.',
    add: 'Begriff hinzufügen',
    edit: (term) => `${term} bearbeiten`,
    remove: (term) => `${term} löschen`,
    editing: (term) => `„${term}“ bearbeiten`,
    canonical: 'Begriff',
    canonicalHint: 'So, wie Untertitel ihn zeigen sollen.',
    mishears: 'Falsch gehört als',
    mishearsHint: 'Wie er falsch gehört wird, durch Kommas getrennt: skim, s c i m',
    say: 'Gesprochen',
    sayHint: 'Wie er ausgesprochen wird, wenn das von der Schreibweise abweicht: skim',
    note: 'Anmerkung',
    more: 'Mehr über diesen Begriff',
    kind: 'Art',
    kinds: {
      '': 'Nicht angegeben',
      person_name: 'Person',
      company_name: 'Unternehmen',
      product_name: 'Produkt',
      project_name: 'Projekt',
      technical_term: 'Fachbegriff',
      acronym: 'Abkürzung',
    },
    risky: 'Gewöhnliche Wörter darunter',
    riskyHint:
      'Falsch Gehörtes, das man auch wörtlich sagt. Es wird nur in der Nähe eines der Wörter unten korrigiert.',
    nearWords: 'In der Nähe dieser Wörter',
    nearWordsHint: 'Wörter, die zeigen, was gemeint ist, durch Kommas getrennt: Anmeldung, Konto',
    aliases: 'Ebenfalls richtig',
    aliasesHint: 'Andere Formen, die nie geändert werden, durch Kommas getrennt.',
    weight: 'Gewicht, 1 bis 10: Begriffe mit mehr Gewicht gehen zuerst an die Spracherkennung',
    save: 'Begriff speichern',
    cancel: 'Abbrechen',
    needsTerm: 'Geben Sie zuerst den Begriff ein.',
    heard: (mishears) => `falsch gehört als ${mishears.join(', ')}`,
    sources: {
      person: 'von Hand hinzugefügt',
      import: 'importiert',
      learned: 'aus Durchsichten gelernt',
    },
    import: 'Liste oder Paket importieren',
    exportYaml: 'Als YAML exportieren',
    exportList: 'Als einfache Liste exportieren',
    count: (now, limit) => `${number(now)} von ${terms(limit)}`,
    imported: (now) => `Der Arbeitsbereich hat jetzt ${terms(now)}.`,
    learnedTitle: 'Aus Durchsichten gelernt',
    switch: 'Aus Durchsichten lernen',
    switchHint:
      'Ist dies aus, wird nichts Neues gelernt und nichts gefragt. Geltende Regeln bleiben, bis Sie sie zurücknehmen.',
    nothingLearned: 'Noch nichts. Ihre Korrekturen in Durchsichten verbessern künftige Aufträge.',
    states: {
      proposed: 'zu entscheiden',
      applied: 'gilt',
      dismissed: 'verworfen',
      withdrawn: 'nach einer Ablehnung zurückgezogen',
      undone: 'zurückgenommen',
    },
    automatic: 'automatisch angewendet',
    near: (near) => `Nur in der Nähe von: ${near.join(', ')}`,
    never: (surface, canonical) => `„${surface}“ nie in ${canonical} ändern`,
    newTerm: (canonical) => `Neuer Begriff: ${canonical}`,
    yes: 'Lernen',
    no: 'Nein',
    undo: 'Zurücknehmen',
    editRule: 'Bearbeiten',
    ruleLabel: (verb, rule) => `${verb}: ${rule}`,
    surface: 'Erkannt',
    meant: 'Gemeint',
    nearLabel: 'Nur in der Nähe dieser Wörter',
    nearHint: 'Durch Kommas getrennt; leer, um überall zu korrigieren.',
    changed: (changed) => `${captions(changed)} geändert`,
    change: (before, after) => `${before} → ${after}`,
    finish: 'Abschließen',
    finishHint:
      'Die Durchsicht als fertig speichern und die nächsten Aufträge daraus lernen lassen',
    finishAsk: 'Durchsicht abschließen?',
    finishEnds: (parts) =>
      `Das Abschließen löscht ${ended(parts)} sofort vom Server. Niemand in Ihrem Arbeitsbereich und kein Gast eines Links kann danach dort etwas abspielen.`,
    finishKeeps:
      'Die Untertitel, die Kommentare und die Links bleiben, ebenso, was dieser Browser von der Aufnahme hat.',
    finishNow: (parts) => `Abschließen und ${ended(parts)} löschen`,
    finishNotYet: 'Noch nicht',
    finishEnded: (parts) =>
      parts.length > 1
        ? 'Der Ton und das Video sind vom Server gelöscht.'
        : parts[0] === 'sound'
          ? 'Der Ton ist vom Server gelöscht.'
          : 'Das Video ist vom Server gelöscht.',
    finishTitle: 'Durchsicht abgeschlossen',
    openTitle: 'Nicht alles ist geprüft',
    openHint: 'In dieser Durchsicht ist noch offen:',
    openStay: 'Weiter prüfen',
    openFinish: 'Trotzdem abschließen',
    saving: 'Wird gespeichert …',
    finished:
      'Ihre Durchsicht ist gespeichert. Downloads vom Server enthalten jetzt die durchgesehenen Untertitel.',
    notYet:
      'Ihre Durchsicht ist in diesem Browser gespeichert und geht an den Server, sobald er erreichbar ist.',
    conflict:
      'Jemand anderes hat dieselben Untertitel geändert: Wählen Sie zuerst zwischen den Fassungen.',
    questions: (things) =>
      counts(things, { one: '# Sache zu lernen', other: '# Sachen zu lernen' }),
    questionsHint: 'Was Sie korrigiert haben, kann nächstes Mal von Anfang an stimmen.',
    noQuestions: 'Sichere Korrekturen werden ohne Frage gelernt; andere gibt es nicht.',
    all: 'Alle Begriffe Ihres Arbeitsbereichs',
    refused: (message) => `Der Server hat die Anfrage abgelehnt. ${message}`,
  },
  organisationText: {
    title: 'Organisation',
    role: 'Rolle',
    roles: { reader: 'Lesen', editor: 'Bearbeiten', owner: 'Verwalten' },
    rolesHint:
      '„Lesen“ erlaubt auch Kommentare, „Bearbeiten“ auch Untertitel zu erstellen und zu ändern, „Verwalten“ auch Personen zu verwalten.',
    yourRole: {
      reader: 'Sie dürfen hier Untertitel lesen und kommentieren.',
      editor: 'Sie dürfen hier Untertitel erstellen und ändern.',
      owner: 'Sie dürfen hier auch Personen verwalten.',
    },
    people: 'Personen',
    roleOf: (email) => `Rolle von ${email}`,
    you: 'Sie',
    disabled: 'gesperrt',
    joined: (at) => `seit ${dateTime(at)}`,
    keys: (keys) => counts(keys, { one: '# Schlüssel', other: '# Schlüssel' }),
    disable: 'Sperren',
    disablePerson: (email) => `${email} sperren`,
    disableAsk: (email) =>
      `${email} wird jetzt überall abgemeldet und kommt erst wieder herein, wenn Sie die Person entsperren. Was sie erstellt hat, bleibt.`,
    enable: 'Entsperren',
    enablePerson: (email) => `${email} entsperren`,
    remove: 'Entfernen',
    removePerson: (email) => `${email} entfernen`,
    removeAsk: (email) =>
      `${email} wird jetzt überall abgemeldet. Was die Person erstellt hat, bleibt. Wer eine Adresse Ihrer Domain hat, kann wiederkommen: Sperren Sie die Person, um das zu verhindern.`,
    removeErase: 'Die Adresse überall in diesem Arbeitsbereich löschen',
    data: 'Daten',
    morePeople: 'Weitere Personen zeigen',
    invite: 'Einladen',
    inviteTitle: 'Eine Person einladen',
    email: 'E-Mail-Adresse',
    invited: (email) => `Eine Einladung wurde an ${email} geschickt. Sie gilt sieben Tage.`,
    open: 'Offene Einladungen',
    openUntil: (role, at) => `${role}, gültig bis ${dateTime(at)}`,
    takeBack: 'Zurückziehen',
    takeBackFrom: (email) => `Die Einladung von ${email} zurückziehen`,
    allKeys: 'Schlüssel aller Personen',
    revoke: 'Widerrufen',
    revokeKey: (name, email) => `${name} von ${email} widerrufen`,
    use: 'Nutzung',
    stored: (kind, used, quota) =>
      quota === null
        ? `${kind}: ${megabytes(used)}`
        : `${kind}: ${megabytes(used)} von ${megabytes(quota)}`,
    recordings: 'Aufnahmen',
    results: 'Aufträge und Untertitel',
    runs: (runs) => counts(runs, { one: '# Auftrag', other: '# Aufträge' }),
    mostOf: (kind) => `${kind}: höchstens (MB)`,
    mostHint: (quota) =>
      quota === null
        ? 'Leer: ohne Grenze.'
        : `Leer: ${megabytes(quota)}, wie der Dienst es erlaubt. Mehr geht nicht.`,
    retention: 'Wie lange Aufträge bleiben',
    days: 'Tage nach dem Ende eines Auftrags',
    daysHint: (days) =>
      `Leer: ${counts(days, { one: '# Tag', other: '# Tage' })}, wie beim Dienst. Ältere Aufträge werden binnen einer Stunde gelöscht, mit ihren Untertiteln.`,
    mediaDays: 'Tage für Ton und Video',
    mediaDaysHint:
      'Leer: so lange wie der Auftrag. Danach werden Ton und Video gelöscht, die beim Auftrag liegen, und Aufnahmen, die kein Auftrag mehr braucht; die Untertitel bleiben.',
    save: 'Speichern',
    saved: 'Gespeichert.',
    webhooks: 'Webhooks',
    noWebhooks: 'Es gibt keine. Programme richten sie mit POST /webhooks ein.',
    webhookDisabled: 'abgeschaltet, weil eine Woche lang nichts angenommen wurde',
    enableWebhook: (url) => `Den Webhook ${url} einschalten`,
    deleteWebhook: (url) => `Den Webhook ${url} löschen`,
    delete: 'Löschen',
    done: {
      'DELETE /workspace/keys/{keyId}': 'Eigenen Schlüssel widerrufen',
      'DELETE /workspace/person': 'Eigene Adresse gelöscht',
      'POST /workspace/person/disable': 'Eigene Adresse gesperrt',
      'DELETE /audio/{key}': 'Aufnahme gelöscht',
      'DELETE /workflows/captioner/{runId}/data': 'Auftrag gelöscht',
      'DELETE /workflows/captioner/{runId}/review': 'Durchsicht gelöscht',
      'POST /workflows/captioner/{runId}/links': 'Link zu einer Durchsicht angelegt',
      'PATCH /workflows/captioner/{runId}/links/{linkId}': 'Link zu einer Durchsicht geändert',
      'DELETE /workflows/captioner/{runId}/links/{linkId}': 'Link zu einer Durchsicht widerrufen',
      'PUT /terminology/terms': 'Begriffe gespeichert',
      'DELETE /terminology/terms': 'Begriffe gelöscht',
      'PUT /terminology/learning': 'Lernen aus Durchsichten ein- oder ausgeschaltet',
      'PUT /translations/memory.tmx': 'Übersetzungsspeicher eingelesen',
      'POST /webhooks': 'Webhook registriert',
      'DELETE /webhooks/{webhookId}': 'Webhook gelöscht',
      'POST /webhooks/{webhookId}/enable': 'Webhook eingeschaltet',
      'POST /workspace/addresses': 'Adresse für ein Programm angelegt',
      'DELETE /workspace/addresses/{addressId}': 'Adresse eines Programms gelöscht',
      'PATCH /workspace/members/{memberId}': 'Rolle oder Status einer Person geändert',
      'DELETE /workspace/members/{memberId}': 'Person entfernt',
      'GET /workspace/members/{memberId}/data': 'Daten einer Person heruntergeladen',
      'DELETE /workspace/member-keys/{keyId}': 'Schlüssel einer Person widerrufen',
      'POST /workspace/invitations': 'Person eingeladen',
      'DELETE /workspace/invitations/{invitationId}': 'Einladung zurückgenommen',
      'PUT /workspace/voices': 'Merken von Stimmen ein- oder ausgeschaltet',
      'PUT /workspace/retention': 'Aufbewahrungsdauer geändert',
      'PUT /workspace/quotas': 'Kontingente geändert',
      'DELETE /workspace/data': 'Alle Daten des Arbeitsbereichs gelöscht',
      'GET /workspace/export': 'Arbeitsbereich exportiert',
    },
    record: 'Protokoll',
    recordHint:
      'Wer Personen, Schlüssel, Links, Webhooks, Begriffe und Einstellungen geändert oder etwas gelöscht hat.',
    search: 'Das Protokoll durchsuchen',
    nothing: 'Nichts gefunden.',
    older: 'Ältere Einträge zeigen',
    haveInvitation: 'Ich habe eine Einladung',
    invitationCode: 'Code der Einladung',
    accept: 'Annehmen',
    invalidInvitation:
      'Diese Einladung gilt nicht: Sie wurde schon benutzt oder zurückgezogen oder ist abgelaufen. Bitten Sie um eine neue.',
    signInWith: (name) => `Mit ${name} anmelden`,
    signingIn: 'Anmeldung läuft …',
    tryAgain: 'Noch einmal versuchen',
    failed:
      'Die Anmeldung hat nicht geklappt. Versuchen Sie es noch einmal, oder melden Sie sich mit einem Code per E-Mail an.',
    notAdmitted: 'Ihr Konto darf diesen Dienst nicht benutzen. Wenden Sie sich an den Betreiber.',
    notVerified: 'Der Anbieter nennt keine bestätigte E-Mail-Adresse Ihres Kontos.',
  },
  settingsText: {
    title: 'Einstellungen',
    signIn: 'Melden Sie sich an, um Ihr Konto, seine Schlüssel und seine Daten zu sehen.',
    account: 'Konto',
    workspaces: {
      personal: 'Ein eigener Arbeitsbereich.',
      team: 'Ein Arbeitsbereich, den Sie mit allen teilen, die sich mit Ihrer Domain angemeldet haben.',
      unknown: 'Ein Arbeitsbereich, den Ihr Betreiber verwaltet.',
    },
    keep: 'Angemeldet bleiben, solange Captioner geöffnet ist',
    keepHint:
      'In allen Tabs, auch nach dem Neuladen. Ohne dies meldet ein Neuladen Sie ab; das Schließen des letzten Tabs tut es immer.',
    keys: 'Schlüssel',
    keysHint:
      'Wer einen Schlüssel hat, kann Captioner in Ihrem Namen benutzen. Jede Anmeldung fügt einen hinzu. Widerrufen Sie, was Sie nicht mehr brauchen.',
    keysElsewhere:
      'Wer einen Schlüssel hat, kann Captioner in Ihrem Namen benutzen. Zum Widerrufen wenden Sie sich an den Betreiber.',
    noKeys: 'Die Schlüssel dieses Kontos werden dort verwaltet, wo sie ausgestellt wurden.',
    more: (shown, total) =>
      counts(total, {
        one: `Das sind die neuesten ${shown} von # Schlüssel.`,
        other: `Das sind die neuesten ${shown} von # Schlüsseln.`,
      }),
    made: (at) => `Erstellt: ${dateTime(at)}`,
    used: (at) => `zuletzt benutzt: ${dateTime(at)}`,
    current: 'dieser Browser',
    scopes: {
      'captioner:audio:upload': 'Aufnahmen hochladen',
      'captioner:caption:run': 'Untertitel erstellen, lesen, korrigieren und löschen',
      'captioner:terminology:read': 'Begriffe lesen',
    },
    revoke: 'Widerrufen',
    revokeKey: (name) => `${name} widerrufen`,
    revokeAsk: (name) =>
      `Programme, die ${name} benutzen, werden von da an abgewiesen. Das lässt sich nicht rückgängig machen.`,
    revokeCurrent: 'Es ist der Schlüssel dieses Browsers: Sie werden abgemeldet.',
    create: 'Schlüssel erstellen',
    createHint: 'Für ein Programm. Wir schicken Ihnen wie bei der Anmeldung einen Code per E-Mail.',
    may: 'Der Schlüssel darf',
    needsScope: 'Kreuzen Sie mindestens eines an.',
    send: 'Code senden',
    created: 'Ihr neuer Schlüssel',
    createdHint: 'Kopieren Sie ihn jetzt: Er wird nur einmal gezeigt.',
    copy: 'Kopieren',
    copied: 'Kopiert.',
    done: 'Fertig',
    voices: 'Stimmen',
    remember: 'Sich merken, wessen Stimme es ist',
    rememberHint:
      'Wenn Sie einen Sprecher benennen, wird der Name im nächsten Vortrag vorgeschlagen, in dem dieselbe Stimme spricht. Aufbewahrt werden 192 Zahlen je Stimme, die biometrische Daten sind, und nie Ton: so lange, wie es den Auftrag gibt, oder bis Sie die Person vergessen lassen. Nur mit der Einwilligung derer, die sprechen.',
    rememberOff: 'Beim Ausschalten werden alle Stimmen sofort vergessen.',
    nobody: 'Noch hat keine Stimme einen Namen.',
    heardIn: (runs) => `benannt in ${counts(runs, { one: '# Auftrag', other: '# Aufträgen' })}`,
    forget: 'Vergessen',
    forgetPerson: (name) => `Die Stimme von ${name} vergessen`,
    data: 'Ihre Daten',
    export: 'Alles exportieren',
    exportHint:
      'Ein Archiv (.tar.gz) mit allen Aufträgen, Ergebnissen, Durchsichten, Begriffen, noch gespeicherten Aufnahmen und Webhooks.',
    exporting: 'Wird exportiert. Bei großen Arbeitsbereichen dauert das eine Weile.',
    exported: 'Das Archiv ist gespeichert.',
    erase: 'Alles löschen',
    eraseHint:
      'All das auf dem Server. Schlüssel gelten weiter. Exportieren Sie es vorher, wenn Sie es vielleicht noch brauchen.',
    eraseAsk:
      'Alle Aufträge, Untertitel, Durchsichten, Aufnahmen, Begriffe, Regeln und Webhooks Ihres Arbeitsbereichs werden gelöscht. Das lässt sich nicht rückgängig machen.',
    eraseTeam: 'Auch die Ihrer Kolleginnen und Kollegen: Der Arbeitsbereich gehört auch ihnen.',
    eraseWord: 'löschen',
    eraseType: (word) => `Geben Sie zur Bestätigung „${word}“ ein`,
    eraseNot: 'Nichts wurde gelöscht: Das Wort wurde nicht eingegeben.',
    erased: (runs, sounds, webhooks) =>
      `Gelöscht: ${list([jobs(runs), recordings(sounds), counts(webhooks, { one: '# Webhook', other: '# Webhooks' }), 'die Begriffe'])}.`,
    eraseHere: 'Kopien in diesem Browser löschen',
    look: 'Aussehen',
    language: 'Sprache der App',
    languageOfBrowser: 'Wie im Browser eingestellt',
    theme: 'Farben',
    themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
    keyboard: 'Tastatur',
    keyboardHint: 'Jeder Befehl der Durchsicht hat eine Taste, die Sie ändern können.',
    shortcuts: 'Tastenkürzel ansehen und ändern',
  },
  transportKeys: {
    play: 'Abspielen oder anhalten',
    back5: '5 Sekunden zurück',
    back1: '1 Sekunde zurück',
    on1: '1 Sekunde vor',
    on5: '5 Sekunden vor',
    replay: 'Diesen Untertitel abspielen',
    loop: 'Diesen Untertitel wiederholen, ein oder aus',
    patient: 'Beim Tippen anhalten, ein oder aus',
  },
  review: {
    title: (name) => name.replace(/\.\w{1,5}$/, ''),
    loading: 'Untertitel werden geladen …',
    noneYet: 'Noch keine Untertitel.',
    firstCaption: 'Ersten Untertitel hier schreiben',
    restored: (changes) =>
      counts(changes, {
        one: '# Änderung von Ihnen wurde wiederhergestellt.',
        other: '# Änderungen von Ihnen wurden wiederhergestellt.',
      }),
    overlaps: (overlapping) =>
      counts(overlapping, {
        one: '# Untertitel überschneidet sich mit dem nächsten. Die Zeiten sind die der Datei; siehe Warnungen.',
        other:
          '# Untertitel überschneiden sich mit dem jeweils nächsten. Die Zeiten sind die der Datei; siehe Warnungen.',
      }),
    dropped: 'Einige frühere Änderungen passen nicht mehr und wurden weggelassen.',
    player: 'Aufnahme',
    play: 'Abspielen',
    pause: 'Anhalten',
    rate: 'Tempo',
    seek: 'Position',
    mute: 'Ton aus',
    unmute: 'Ton ein',
    fullScreen: 'Vollbild',
    openMedia: 'Aufnahme öffnen',
    openVideo: 'Video öffnen',
    opened: (name) => `${name} geöffnet.`,
    noMedia: 'Öffnen Sie die Aufnahme, um sie hier zu hören. Sie bleibt auf diesem Computer.',
    notHere: (name) =>
      `Zu diesem Auftrag ist kein Ton mehr da: Er wurde nach der Transkription oder beim Abschluss der Durchsicht gelöscht. Öffnen Sie „${shortened(name)}“, um ihn hier zu hören.`,
    signInToHear: (name) =>
      `Melden Sie sich an, um den Ton dieses Auftrags zu hören, oder öffnen Sie „${shortened(name)}“.`,
    notSent: (name) =>
      `Kein Ton: Die Aufnahme wurde mit diesem Link nicht mitgeschickt. Öffnen Sie „${shortened(name)}“, wenn Sie sie haben, oder fragen Sie, wer Ihnen den Link geschickt hat.`,
    arriving: (fraction) => `Aufnahme wird geladen: ${percent(fraction)}`,
    mediaFails:
      'Dieser Browser kann diese Datei nicht abspielen. Öffnen Sie sie in einem anderen Format, etwa MP3.',
    waveform:
      'Zeitleiste: Klicken springt dorthin; Untertitel und ihre Ränder lassen sich ziehen, um Zeiten zu ändern',
    waveformLoading: 'Ton wird gelesen …',
    waveformNone: 'Keine Wellenform: Der Ton dieser Datei lässt sich hier nicht lesen.',
    splitters: {
      columns: 'Breite von Aufnahme und Untertiteln. Eingabe für die übliche.',
      picture: 'Höhe des Bildes. Eingabe für die übliche.',
      timeLine: 'Höhe der Zeitleiste. Eingabe für die übliche.',
    },
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    cues: 'Untertitel',
    cue: (at) => `Untertitel ${at}`,
    goTo: (at) => `Untertitel ${at}: ab hier abspielen`,
    cueText: (at) => `Text von Untertitel ${at}`,
    cueStart: (at) => `Beginn von Untertitel ${at}`,
    cueEnd: (at) => `Ende von Untertitel ${at}`,
    start: 'Beginn',
    both: 'Beide',
    end: 'Ende',
    earlier: '0,1 s früher',
    later: '0,1 s später',
    startEarlier: 'Beginn 0,1 s früher',
    startLater: 'Beginn 0,1 s später',
    endEarlier: 'Ende 0,1 s früher',
    endLater: 'Ende 0,1 s später',
    startHere: 'Beginn an der Abspielposition',
    endHere: 'Ende an der Abspielposition',
    badTime: 'Geben Sie eine Zeit wie 12,5, 0:13 oder 00:01:02,500 ein.',
    badTimeCode: (from) =>
      `Geben Sie eine Zeit wie 12,5 oder 0:13 ein, oder einen Timecode ab ${from}.`,
    speed: (cps) => `${Math.round(cps)} Z/s`,
    lengths: (lengths) => lengths.join(' · '),
    flags: {
      duration_below_minimum: 'zu kurz',
      duration_above_maximum: 'zu lang',
      line_count_above_maximum: 'zu viele Zeilen',
      line_length_above_maximum: 'Zeile zu lang',
      reading_speed_high: 'zu schnell zu lesen',
      dangling_line_break: 'ungünstiger Umbruch',
      overlaps_next: 'überschneidet den nächsten',
    },
    fix: 'Beheben',
    noFix: 'Beheben Sie diesen Untertitel selbst.',
    split: 'Trennen',
    merge: 'Verbinden',
    insert: 'Einfügen',
    delete: 'Löschen',
    shift: 'Verschieben',
    wordBack: 'Wort in den vorigen Untertitel',
    wordOn: 'Wort in den nächsten Untertitel',
    closeGap: 'Lücke zum nächsten Untertitel schließen',
    lines: 'Zeilen neu umbrechen',
    more: 'Mehr',
    undo: 'Rückgängig',
    redo: 'Wiederholen',
    find: 'Suchen',
    compare: 'Vergleichen',
    transcript: 'Transkript',
    translate: 'Übersetzen …',
    keys: 'Tastenkürzel',
    download: 'SRT herunterladen',
    downloadAs: 'In anderem Format herunterladen',
    downloadIn: (format) =>
      format === 'csv'
        ? 'Bericht als CSV herunterladen'
        : format === 'html'
          ? 'Bericht zum Drucken herunterladen'
          : `${format.toUpperCase()} herunterladen`,
    karaoke: (format) => `${format} als Karaoke herunterladen`,
    notLoaded:
      'Dieser Teil konnte nicht geladen werden. Versuchen Sie es noch einmal, wenn Sie wieder online sind.',
    copySrt: 'SRT kopieren',
    share: 'Um Kommentare bitten …',
    addVideo: 'Dem Auftrag ein kleines Video hinzufügen …',
    copied: 'SRT in die Zwischenablage kopiert.',
    notCopied:
      'Der Browser hat das Kopieren nicht erlaubt. Laden Sie stattdessen die Datei herunter.',
    downloaded: (name) => `${name} heruntergeladen.`,
    did: {
      text: 'Text geändert',
      times: 'Zeiten geändert',
      split: 'Getrennt',
      merge: 'Verbunden',
      insert: 'Eingefügt',
      sound: 'Geräusch beschrieben',
      delete: 'Gelöscht',
      shift: 'Verschoben',
      word: 'Wort verschoben',
      lines: 'Zeilen neu umbrochen',
      italics: 'Kursivschrift geändert',
      fix: 'Behoben',
      replace: 'Ersetzt',
      sure: 'Als richtig markiert',
      nothing: 'Markiert: Es fehlt nichts',
      speaker: 'Sprecher geändert',
      speakerName: 'Sprecher umbenannt',
      place: 'Position geändert',
      rebuild: 'Untertitel neu aufgebaut',
      script: 'Skript abgeglichen',
      accept: 'Angenommen',
      reject: 'Abgelehnt',
      pack: 'Paket wieder verwendet',
      noPack: 'Paket nicht verwendet',
      colleague: 'Änderungen von anderen',
      version: 'Frühere Fassung zurückgeholt',
    },
    undone: (what) => `Rückgängig gemacht: „${what}“.`,
    redone: (what) => `Wiederholt: „${what}“.`,
    cannot: 'Das ist hier nicht möglich.',
    moveLimits: {
      previous: (before, limit) =>
        `Untertitel ${before} würde zu kurz. Frühester Beginn: ${limit}.`,
      next: (after, limit) => `Untertitel ${after} würde zu kurz. Spätestes Ende: ${limit}.`,
      moved: (neighbour, limit) =>
        limit === 0
          ? `Untertitel ${neighbour} ist schon so kurz wie möglich.`
          : `Untertitel ${neighbour} würde zu kurz. Die Grenze ist hier ${signed(limit)} s.`,
      own: 'Ein Untertitel muss nach seinem Beginn enden.',
      stays: (neighbour) =>
        `Untertitel ${neighbour} beginnt oder endet dort und wird nicht verschoben.`,
      many: (limit) =>
        limit === 0
          ? 'Nicht ausgewählte Untertitel sind im Weg.'
          : `Nicht ausgewählte Untertitel sind im Weg: Die Grenze ist ${signed(limit)} s.`,
      clock:
        'Ein Untertitel beginnt frühestens bei 00:00:00,000 und endet spätestens bei 99:59:59,999.',
    },
    noRoom: 'Es ist kein Platz: Die Untertitel auf beiden Seiten sind schon so kurz wie möglich.',
    elsewhere:
      'Diese Durchsicht wird in einem anderen Tab bearbeitet. Wählen Sie zuerst „Hier bearbeiten“.',
    readOnly: 'Sie können diese Durchsicht lesen, aber nicht ändern.',
    current: (at) => `Untertitel ${at}`,
    tabs: {
      label: 'Seitenleiste',
      comments: (open) => (open === 0 ? 'Kommentare' : `Kommentare (${open})`),
      speakers: 'Sprecher',
      terms: (found) => `Begriffe (${found})`,
      warnings: (found) => `Warnungen (${found})`,
      doubts: (found) => `Unsicher (${found})`,
      report: (score) => (score === null ? 'Format' : `Format ${percent(score)}`),
    },
    termGone:
      'Diese Wörter stehen nicht mehr in den Untertiteln. Beheben Sie diesen Untertitel selbst.',
    warning: {
      duration_below_minimum: (is, limit) =>
        `Steht ${number(apart(is, limit))} s; mindestens ${number(limit)} s sind nötig.`,
      duration_above_maximum: (is, limit) =>
        `Steht ${number(apart(is, limit))} s; höchstens ${number(limit)} s sind erlaubt.`,
      line_count_above_maximum: (is, limit) =>
        counts(is, {
          one: `Hat # Zeile; höchstens ${limit} sind erlaubt.`,
          other: `Hat # Zeilen; höchstens ${limit} sind erlaubt.`,
        }),
      line_length_above_maximum: (is, limit) =>
        `Eine Zeile mit ${is} Zeichen; höchstens ${limit} sind erlaubt.`,
      reading_speed_high: (is, limit) =>
        `${number(apart(is, limit, 0))} Zeichen pro Sekunde; angenehm sind ${number(limit)}.`,
      dangling_line_break: () =>
        'Eine Zeile endet mit einem kleinen Wort, das in die nächste gehört.',
      overlaps_next: (is) =>
        `Überschneidet sich ${number(apart(is, 0))} s mit dem nächsten Untertitel.`,
    },
    replaced: (times) => `${number(times)}-mal ersetzt.`,
    leftTerms: terms,
    leftDoubts: (left) => counts(left, { one: '# unsichere Stelle', other: '# unsichere Stellen' }),
    leftWarnings: (left) => counts(left, { one: '# Formatwarnung', other: '# Formatwarnungen' }),
    done: 'Fertig: Es ist nichts mehr zu prüfen.',
    tools: 'Werkzeuge',
    toolGroups: { edit: 'Untertitel', time: 'Zeiten', history: 'Verlauf', find: 'Suchen' },
    grid: 'Dichtes Raster',
    retime: 'Alle Zeiten ändern …',
    frames: 'Einzelbilder und Timecode …',
    transport: 'Wiedergabe',
    timeButtons: 'Zeiten der Untertitel',
    selected: (selected) => `${captions(selected)} ausgewählt`,
    findingShots: 'Schnitte werden gesucht …',
    foundShots: (shots) =>
      counts(shots, { one: '# Schnitt gefunden.', other: '# Schnitte gefunden.' }),
    noShots: 'Öffnen Sie zuerst das Video: Schnitte werden im Bild erkannt.',
    shotsSoFar: (fraction) => `Schnitte werden gesucht: ${done(fraction)}`,
    rateNow: (rate) => `Wiedergabe mit ${number(rate)}-fachem Tempo.`,
    loopOn: 'Dieser Untertitel wird wiederholt.',
    loopOff: 'Wird nicht mehr wiederholt.',
    unheardHere: (length) =>
      `Ton ohne Untertitel, ${seconds(length)} lang. Spielen Sie ihn ab: Vielleicht fehlt Gesprochenes.`,
    unheard: 'Keine Untertitel',
    noneLeft: 'Von dieser Art ist nichts mehr zu prüfen.',
    wrapped: (isOn) =>
      isOn
        ? 'Wieder bei der ersten: Danach kommt keine mehr.'
        : 'Bei der letzten: Davor kommt keine.',
    nothingToDecide: 'Hier ist kein offener Begriff und kein unsicheres Wort.',
    notTogether: 'Nur benachbarte Untertitel lassen sich verbinden.',
    noneToFix: 'Hier lässt sich nichts automatisch beheben.',
    fixedMany: (fixed) => `${captions(fixed)} behoben.`,
    deletedMany: (deleted) => `${captions(deleted)} gelöscht.`,
    in: 'Ein',
    out: 'Aus',
    inHere: 'Ein: Beginn an der Abspielposition',
    outHere: 'Aus: Ende an der Abspielposition',
    sooner: 'Früher',
    laterShort: 'Später',
    timing: 'Zeitverhalten',
    modes: {
      push: 'Nachbarn machen Platz',
      roll: 'Rollen: beide Seiten eines Übergangs bewegen sich zusammen',
      ripple: 'Nachziehen: alle späteren Untertitel bewegen sich mit',
      free: 'Frei: kein anderer Untertitel bewegt sich',
    },
    timingOptions: {
      seekSelects: 'Beim Springen den Untertitel an der Abspielposition auswählen',
      snapSpeech: 'An Sprache einrasten',
      snapShots: 'An Schnitten einrasten',
      snapFrames: 'An Einzelbildern einrasten',
      snapNeighbours: 'Beim Ziehen an Nachbarn einrasten',
    },
    italics: 'Kursiv',
    selectAll: 'Alle Untertitel auswählen',
    unnamedSpeaker: (at) => `Sprecher ${at}`,
    noSuchSpeaker: (at) =>
      `Einen Sprecher ${at} gibt es noch nicht. Fügen Sie unter „Sprecher“ einen hinzu.`,
    rebuild: 'Untertitel neu aufbauen …',
    script: 'Skript abgleichen …',
    commands: 'Befehle',
    work: 'Fassungen und Freigabe …',
    burn: 'Video mit Untertiteln …',
    cueSelected: (at) => `Untertitel ${at}, ausgewählt`,
    goToHint: (at) =>
      keyNames(
        `Untertitel ${at}: ab hier abspielen. Mit Shift oder Ctrl wählen Sie mehrere Untertitel aus.`,
      ),
  },
  compare: {
    compareTitle: 'Vergleich mit dem Original',
    compareNone: 'Keine Änderungen.',
    compareCount: (changed) =>
      counts(changed, { one: 'An # Stelle geändert.', other: 'An # Stellen geändert.' }),
    compareTimes: 'Zeiten geändert',
    compareItalics: 'Kursivschrift geändert',
  },
  overviewText: {
    label:
      'Der ganze Vortrag. Striche von oben nach unten: offene Begriffe, unsichere Wörter, Warnungen.',
  },
  transcriptText: {
    label: 'Transkript',
    paragraph: (time) => `Absatz bei ${time}`,
    playFrom: (time) => `Ab ${time} abspielen`,
    tools: 'Ausgewählte Wörter',
    hint: 'Klicken Sie auf ein Wort, um ab dort abzuspielen. Wählen Sie Wörter aus, um daraus einen Begriff oder einen eigenen Untertitel zu machen.',
    term: 'Begriff daraus machen',
    caption: 'Untertitel daraus machen',
    speaker: 'Gesprochen von …',
    made: (term) => `„${term}“ wurde den Begriffen Ihres Arbeitsbereichs hinzugefügt.`,
  },
  shift: {
    badShift: 'Geben Sie Sekunden wie 0,5 oder -0,5 ein.',
    shiftAsk: 'Diesen und alle folgenden Untertitel verschieben um (Sekunden)',
    shiftSelected: (selected) =>
      `Die ${selected} ausgewählten Untertitel verschieben um (Sekunden)`,
    shiftDo: 'Verschieben',
  },
  droppedText: {
    notMedia: (name) => `${name} ist weder eine Aufnahme noch eine Untertiteldatei.`,
  },
  find: {
    findLabel: 'Suchen',
    replaceLabel: 'Ersetzen durch',
    replace: 'Ersetzen',
    replaceAll: 'Alle ersetzen',
    remember: 'Alle ersetzen und merken',
    remembered: (mishear, term) =>
      `„${mishear}“ → „${term}“ wurde den Begriffen Ihres Arbeitsbereichs hinzugefügt.`,
    rememberHint: keyNames(
      'Fügt die Ersetzung auch den Begriffen Ihres Arbeitsbereichs hinzu, für künftige Vorträge (Ctrl+Alt+Shift+Enter)',
    ),
    regex: 'Regulärer Ausdruck',
    wrongExpression: 'Kein gültiger Ausdruck',
    tried: { trying: 'Wird gesucht …', slow: 'Dieser Ausdruck braucht zu lange.' },
    matchCase: 'Groß- und Kleinschreibung beachten',
    wholeWord: 'Ganze Wörter',
    matches: (at, all) => (all === 0 ? 'Nicht gefunden' : `${at} von ${all}`),
  },
  speakersText: {
    hint: 'VTT-, ASS-, TTML- und reine Textdateien nennen die Sprecher.',
    none: 'Noch keine Sprecher. Fügen Sie den Sprecher des aktuellen Untertitels oder der ausgewählten hinzu.',
    name: (name) => `Name von ${name}`,
    captions,
    give: (target) => `Spricht in: ${target}`,
    giveLabel: (name, target) => `${name} spricht in: ${target}`,
    current: (at) => `Untertitel ${at}`,
    selected: (selected) => `${captions(selected)} (ausgewählt)`,
    turn: 'Die ganze Wortmeldung, von einem Sprecherwechsel zum nächsten',
    turnTarget: (from, to) => `Untertitel ${from} bis ${to}`,
    same: (name) => `${name} ist dieselbe Person wie`,
    splitHere: (name) => `Ab dem aktuellen Untertitel ist ${name} jemand anderes`,
    says: (name) => `Alles, was ${name} sagt`,
    saysMore: (more) =>
      `und ${counts(more, { one: '# weiterer Untertitel', other: '# weitere Untertitel' })}`,
    proposals: 'Wer könnte das sein?',
    proposal: (speaker, name, turns) =>
      `${speaker}: ${name}? Der Stimme nach, in ${counts(turns, { one: '# Wortmeldung', other: '# Wortmeldungen' })}.`,
    play: (speaker) => `${speaker} anhören`,
    confirm: (name) => `Ja, ${name}`,
    refuse: (name) => `Nicht ${name}`,
    add: 'Weiterer Sprecher',
    addDo: 'Hinzufügen',
    nobody: 'Niemand',
    lines: (at) => `Zeile für Zeile, Untertitel ${at}`,
    line: (at) => `Zeile ${at}`,
    place: 'Platz im Bild',
    height: 'Höhe',
    bottom: 'Unten',
    middle: 'Mitte',
    top: 'Oben',
    side: 'Seite',
    left: 'Links',
    centre: 'Mitte',
    right: 'Rechts',
  },
  phone: {
    editCaption: (at) => `Untertitel ${at}: Text bearbeiten`,
    parts: { captions: 'Untertitel', check: 'Prüfen', sound: 'Ton', tools: 'Werkzeuge' },
    phoneBar: 'Teile der Durchsicht',
    ready: 'Fertig',
  },
  panels: {
    termsNone: 'Es wurden keine Begriffe korrigiert, und keine sind zu prüfen.',
    termsHint: 'Gehört → gemeint. Nach jedem wird für den ganzen Vortrag einmal gefragt.',
    accept: 'Annehmen',
    reject: 'Ablehnen',
    acceptLabel: (before, after, time) => `Annehmen: ${before} wird zu ${after}, bei ${time}`,
    rejectLabel: (before, after, time) => `Ablehnen: ${before} bleibt, nicht ${after}, bei ${time}`,
    acceptAll: (times) => `Alle ${times} annehmen`,
    acceptAllLabel: (heard, meant, times) => `Alle ${times} annehmen: ${heard} wird zu ${meant}`,
    acceptEach: (times) => `Alle ${times}`,
    never: 'Nie',
    neverLabel: (heard, meant) => `Nie: ${heard} bleibt überall, nicht ${meant}`,
    neverHint: (heard) =>
      `„${heard}“ überall lassen; spätere Vorträge lernen es, wenn die Durchsicht abgeschlossen ist`,
    packUsed: (title, heard, resting) =>
      `Das Begriffspaket ${title} wurde verwendet, weil im Vortrag ${list(heard.slice(0, 5))} vorkommt. ${
        resting === 0
          ? 'Es hat nichts geändert.'
          : counts(resting, { one: '# Stelle beruht darauf.', other: '# Stellen beruhen darauf.' })
      }`,
    packUndone: (title) => `Das Begriffspaket ${title} wird für diesen Vortrag nicht verwendet.`,
    packUndo: 'Ohne das Paket',
    packUndoLabel: (title) => `Ohne das Begriffspaket ${title}`,
    packRedo: 'Wieder verwenden',
    packRedoLabel: (title) => `Das Begriffspaket ${title} wieder verwenden`,
    termTimes: places,
    termPlace: (time) => `Zu ${time}`,
    decisions: { accepted: 'angenommen', rejected: 'abgelehnt', open: 'zu prüfen' },
    confidence: (value) => `${percent(value)} sicher`,
    warningsNone: 'Keine Warnungen: Jeder Untertitel hält seine Grenzen ein.',
    next: 'Weiter',
    previous: 'Zurück',
    score: 'Format',
    scoreNote:
      'Der Formatwert misst, ob die Untertitel ihre Grenzen einhalten. Über falsch gehörte Wörter sagt er nichts.',
    reportDoubt: 'Wörter',
    reportHearing: 'Hören',
    reportRules: 'Geprüft nach',
    reportCues: 'Untertitel',
    reportLongest: 'Längste Zeile',
    reportFastest: 'Schnellster',
    reportWarnings: 'Warnungen',
    reportLength: 'Länge',
    reportBy: 'Transkribiert von',
    reportTerms: 'Korrigierte Begriffe',
    reportOffers: 'Zu entscheidende Begriffe',
    reportTook: 'Benötigte Zeit',
    reportCps: (value) =>
      `${value.toLocaleString('de', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} Zeichen pro Sekunde`,
    reportChars: (value, most) => `${value} von ${most} Zeichen`,
    chart: 'Lesegeschwindigkeit im Verlauf',
    chartNote: (limit) => `Bis zu ${limit} Zeichen pro Sekunde sind angenehm.`,
    fixEverything: 'Alles beheben, was sich gefahrlos beheben lässt',
    unheard: (stretches) => `Ton ohne Untertitel (${number(stretches)})`,
    unheardHint:
      'Spielen Sie diese Stellen ab: Vielleicht fehlt Gesprochenes, oder es ist Musik, Lachen oder Beifall.',
    stretch: (from, to) => `${from} bis ${to}`,
    playStretch: (stretch) => `${stretch} abspielen`,
    captionStretch: (stretch) => `Untertitel bei ${stretch} einfügen`,
    captionIt: 'Hier einen Untertitel einfügen und abspielen',
    nothingMissing: (stretch) => `Bei ${stretch} fehlt nichts`,
    nothingMissingShort: 'Es fehlt nichts',
    uncertain: (turns) => `Unsichere Sprecher (${number(turns)})`,
    uncertainHint:
      'Spielen Sie diese Stellen ab und ändern Sie den Sprecher, wenn jemand anderes spricht.',
    speakerRight: 'Der Sprecher stimmt',
    speakerRightLabel: (stretch) => `Der Sprecher stimmt: ${stretch}`,
    doubtsUnknown: 'Die Spracherkennung hat nicht angegeben, wie sicher sie bei ihren Wörtern ist.',
    doubtLevel: 'Wörter markieren, deren Sicherheit geringer ist als',
    doubtsNone: 'Kein Wort ist unsicher.',
    doubtsMore: (left) => `Und ${number(left)} weitere.`,
    sure: 'Es stimmt',
    sureLabel: (word) => `„${word}“ stimmt`,
    sureAll: (times) => `Alle ${times} stimmen`,
    playWords: (said, time) => `„${said}“ abspielen, bei ${time}`,
    playWordsShort: 'Abspielen',
    percent: (value) => percent(value),
  },
  gridText: {
    label: 'Untertitel, einer pro Zeile',
    columns: 'Spalten',
    list: 'Zurück zur Liste',
    open: (at) => `Untertitel ${at}: Text bearbeiten`,
    names: {
      start: 'Beginn',
      end: 'Ende',
      length: 'Sekunden',
      speed: 'Z/s',
      warnings: 'Warnungen',
      doubts: 'Unsicher',
      speaker: 'Sprecher',
      text: 'Text',
    },
  },
  retimeText: {
    title: 'Alle Zeiten ändern',
    what: 'Was zu tun ist',
    kinds: {
      shift: 'Alle Untertitel verschieben',
      stretch: 'Andere Bildrate',
      points: 'An zwei Punkte anpassen',
      cut: 'Ein Stück herausschneiden',
      join: 'Eine andere Datei anhängen',
    },
    by: 'Um Sekunden, etwa 2,5 oder -0,5',
    from: 'Von',
    to: 'Bis',
    rates: { from: 'Erstellt für Bilder pro Sekunde', to: 'Abgespielt mit Bildern pro Sekunde' },
    is1: 'Eine Zeit ist jetzt',
    shall1: 'soll sein',
    is2: 'Eine andere Zeit ist jetzt',
    shall2: 'soll sein',
    file: 'Untertiteldatei',
    begins: 'Sie beginnt bei',
    run: 'Zeiten ändern',
    wrong:
      'Geben Sie Zeiten so ein, wie die Untertitel sie zeigen; zwei Punkte müssen zu verschiedenen Zeiten in derselben Reihenfolge liegen.',
    outcome: (before, after, dropped) =>
      dropped === 0
        ? `Der letzte Untertitel endet bei ${after}, jetzt bei ${before}.`
        : `Der letzte Untertitel endet bei ${after}, jetzt bei ${before}. ${counts(dropped, { one: '# Untertitel fällt weg.', other: '# Untertitel fallen weg.' })}`,
    done: (changed) => `Zeiten geändert: ${captions(changed)}.`,
  },
  fileText: {
    title: 'Die Datei dieser Untertitel',
    format: (name) => `Gelesen als ${name}.`,
    encoding: 'Kodierung ihres Textes',
    preview: 'So liest sie sich',
    use: 'In dieser Kodierung lesen',
    used: (read) => `Neu gelesen: ${captions(read)}.`,
    none: 'In dieser Kodierung lassen sich keine Untertitel lesen.',
    unread: (lines) =>
      counts(lines, { one: '# Zeile wurde nicht gelesen', other: '# Zeilen wurden nicht gelesen' }),
    line: (line) => (line === 0 ? 'Ein Untertitel' : `Zeile ${line}`),
    more: (lines) => `Und ${number(lines)} weitere.`,
    all: 'Jede Zeile wurde gelesen.',
    notice: (lines, encoding) =>
      [
        lines === 0
          ? ''
          : counts(lines, {
              one: '# Zeile der Datei wurde nicht gelesen.',
              other: '# Zeilen der Datei wurden nicht gelesen.',
            }),
        encoding === null ? '' : `Ihr Text wurde als ${encoding} gelesen.`,
      ]
        .filter((says) => says !== '')
        .join(' '),
    show: 'Anzeigen …',
    dismiss: 'Ausblenden',
  },
  lossText: {
    title: (format) => `Was ${format} nicht aufnehmen kann`,
    hint: 'In dieser Durchsicht bleibt alles erhalten.',
    caption: (cue) => (cue === 0 ? '' : `Untertitel ${cue}: `),
    changed:
      'Der Text wurde geändert: Was geändert wurde, behält Farben, Lesehilfen und Zeiten von Wörtern der Datei nicht.',
    more: (losses) => `Und ${number(losses)} weitere.`,
    save: 'Trotzdem herunterladen',
  },
  commandNames: {
    seekSelects: 'Beim Springen den Untertitel an der Abspielposition auswählen, ein oder aus',
    backward: 'Rückwärts abspielen; noch einmal für schneller',
    stop: 'Anhalten und zurück zum normalen Tempo',
    forward: 'Abspielen; noch einmal für schneller',
    frameBack: '1 Einzelbild zurück',
    frameOn: '1 Einzelbild vor',
    playFrom: 'Ab diesem Untertitel abspielen',
    playRest: 'Bis zum Ende des Untertitels abspielen',
    slower: 'Langsamer',
    faster: 'Schneller',
    previous: 'Voriger Untertitel',
    next: 'Nächster Untertitel',
    up: 'Voriger Untertitel, ohne den Cursor',
    down: 'Nächster Untertitel, ohne den Cursor',
    type: 'In diesem Untertitel schreiben',
    nextAny: 'Nächste Stelle zum Prüfen',
    previousAny: 'Vorige Stelle zum Prüfen',
    nextTerm: 'Nächster offener Begriff',
    previousTerm: 'Voriger offener Begriff',
    nextDoubt: 'Nächstes unsicheres Wort',
    previousDoubt: 'Voriges unsicheres Wort',
    nextWarning: 'Nächste Warnung',
    previousWarning: 'Vorige Warnung',
    accept: 'Den Begriff annehmen, oder das unsichere Wort, wie es ist',
    reject: 'Den Begriff ablehnen',
    acceptAll: 'Diesen Begriff überall annehmen, oder dieses Wort überall als richtig markieren',
    rejectAll: 'Diesen Begriff überall ablehnen',
    showTerms: 'Begriffe anzeigen',
    showDoubts: 'Unsichere Wörter anzeigen',
    showWarnings: 'Warnungen anzeigen',
    showReport: 'Formatbericht anzeigen',
    showSpeakers: 'Sprecher anzeigen',
    showComments: 'Kommentare anzeigen',
    checkNetflix: 'Nach den Regeln von Netflix prüfen',
    checkBbc: 'Nach den Regeln der BBC prüfen',
    checkDcmp: 'Nach den Regeln des DCMP prüfen',
    checkYoutube: 'Nach den Regeln von YouTube prüfen',
    checkOwn: 'Nach den Grenzen dieses Auftrags prüfen',
    fixAll: 'Jede Warnung beheben, die sich gefahrlos beheben lässt',
    split: 'Am Cursor trennen',
    merge: 'Mit dem nächsten verbinden, oder alle ausgewählten',
    mergeBack: 'Mit dem vorigen verbinden',
    insert: 'Einen Untertitel nach diesem einfügen',
    delete: 'Den Untertitel löschen, oder alle ausgewählten',
    wordBack: 'Das erste Wort in den vorigen Untertitel verschieben',
    wordOn: 'Das letzte Wort in den nächsten Untertitel verschieben',
    lines: 'Zeilen neu umbrechen',
    italics: 'Kursiv ein oder aus, für die ausgewählten Wörter',
    selectUp: 'Auch den Untertitel darüber auswählen',
    selectDown: 'Auch den Untertitel darunter auswählen',
    selectAll: 'Alle Untertitel auswählen',
    applause: 'Geräusch beschreiben: Applaus',
    laughter: 'Geräusch beschreiben: Gelächter',
    music: 'Geräusch beschreiben: Musik',
    sound: 'Ein anderes Geräusch beschreiben',
    speaker1: 'Sprecher 1 spricht',
    speaker2: 'Sprecher 2 spricht',
    speaker3: 'Sprecher 3 spricht',
    speaker4: 'Sprecher 4 spricht',
    speaker5: 'Sprecher 5 spricht',
    speaker6: 'Sprecher 6 spricht',
    speaker7: 'Sprecher 7 spricht',
    speaker8: 'Sprecher 8 spricht',
    speaker9: 'Sprecher 9 spricht',
    top: 'An den oberen Bildrand setzen, oder zurück',
    newSpeaker: 'Einen neuen Sprecher benennen',
    rebuild: 'Untertitel mit anderen Einstellungen neu aufbauen',
    profiles: 'Ihre eigenen Profile für die Prüfung',
    script: 'Ein Skript abgleichen',
    undo: 'Rückgängig',
    redo: 'Wiederholen',
    startHere: 'Beginn an der Abspielposition',
    endHere: 'Ende an der Abspielposition',
    earlier: '0,1 s früher',
    later: '0,1 s später',
    closeGap: 'Lücke zum nächsten Untertitel schließen',
    shift: 'Untertitel um Sekunden verschieben',
    retime: 'Alle Zeiten ändern: verschieben, Bildrate, zwei Punkte, schneiden, anhängen',
    frames: 'Einzelbilder und Timecode',
    push: 'Nachbarn machen Platz, wenn sich Zeiten ändern',
    roll: 'Rollen: beide Seiten eines Übergangs bewegen sich zusammen',
    ripple: 'Nachziehen: alle späteren Untertitel bewegen sich mit',
    free: 'Frei: kein anderer Untertitel bewegt sich',
    snapSpeech: 'An Sprache einrasten, ein oder aus',
    snapShots: 'An Schnitten einrasten, ein oder aus',
    snapFrames: 'An Einzelbildern einrasten, ein oder aus',
    snapNeighbours: 'Beim Ziehen an Nachbarn einrasten, ein oder aus',
    findShots: 'Die Schnitte des Videos suchen',
    zoomIn: 'Zeitleiste vergrößern',
    zoomOut: 'Zeitleiste verkleinern',
    find: 'Suchen',
    replace: 'Suchen und ersetzen',
    findNext: 'Nächster Treffer',
    findPrevious: 'Voriger Treffer',
    compare: 'Mit dem Original vergleichen',
    open: 'Die Aufnahme oder andere Untertitel öffnen',
    download: 'SRT herunterladen',
    downloadText: 'Reinen Text herunterladen',
    copy: 'SRT kopieren',
    translate: 'Übersetzungen statt Untertitel, ein oder aus',
    transcript: 'Transkript statt Untertitel, ein oder aus',
    palette: 'Alle Befehle',
    share: 'Um Kommentare bitten: Diese Durchsicht über einen Link weitergeben',
    file: 'Wie die Datei dieser Untertitel gelesen wurde',
    grid: 'Untertitel als dichtes Raster oder als Liste zeigen',
    sheet: 'Tastenkürzel ansehen und ändern',
    work: 'Fassungen, wer an dieser Durchsicht arbeitet, und ihre Freigabe',
    burn: 'Ein Video mit Untertiteln im Bild erstellen',
  },
  keyGroups: {
    play: 'Wiedergabe',
    navigation: 'Bewegen und prüfen',
    edit: 'Untertitel',
    time: 'Zeiten',
    find: 'Suchen',
    other: 'Alles andere',
  },
  sheet: {
    keysTitle: 'Tastenkürzel',
    keysHint: isMac()
      ? 'Drücken Sie die Schaltfläche einer Taste, um eine andere zu wählen. Beim Schreiben halten Sie außer Option auch Control gedrückt, denn Option allein schreibt Zeichen und springt wortweise. Einzelne Buchstaben wirken beim Schreiben nicht.'
      : 'Drücken Sie die Schaltfläche einer Taste, um eine andere zu wählen. Einzelne Buchstaben wirken beim Schreiben nicht.',
    paletteAsk: 'Was möchten Sie tun?',
    paletteNone: 'Kein passender Befehl.',
    keyOf: (says) => `Taste für „${says}“ ändern, jetzt `,
    keyBack: (says) => `${says}: übliche Taste wiederherstellen`,
    pressKey: 'Drücken Sie die Taste …',
    noKey: 'keine',
    keysReset: 'Alle üblichen Tasten wiederherstellen',
    textKeysTitle: 'Im Text eines Untertitels',
    textKeys: [
      ['Eingabe', 'Nächster Untertitel'],
      ['Umschalt+Eingabe', 'Neue Zeile'],
      ['↑ in der ersten Zeile', 'Voriger Untertitel'],
      ['↓ in der letzten Zeile', 'Nächster Untertitel'],
      ['Rücktaste am Anfang', 'Mit dem vorigen verbinden'],
      ['Entf am Ende', 'Mit dem nächsten verbinden'],
      ['Esc', 'Auswahl aufheben; den Text verlassen'],
    ],
  },
  house: {
    title: 'Ihre eigenen Profile',
    hint: 'Eigene Regeln auf der Grundlage derer eines Senders oder einer Plattform. Sie sind in diesem Browser gespeichert; speichern Sie ein Profil als Datei, um es anderswo zu verwenden, etwa auf der Kommandozeile.',
    which: 'Profil',
    fresh: 'Neues Profil',
    name: 'Name',
    base: 'Beruht auf',
    maxLines: 'Zeilen pro Untertitel, höchstens',
    maxLineChars: 'Zeichen pro Zeile, höchstens',
    unit: 'Lesegeschwindigkeit in',
    characters: 'Zeichen pro Sekunde',
    words: 'Wörtern pro Minute',
    perSecond: 'Zeichen pro Sekunde, höchstens',
    perMinute: 'Wörter pro Minute, höchstens',
    minDuration: 'Kürzester Untertitel, in Sekunden',
    maxDuration: 'Längster Untertitel, in Sekunden',
    gapFrames: 'Einzelbilder zwischen Untertiteln, mindestens',
    closedGap: 'Lücken schließen bis, in Sekunden',
    frames: 'Bilder pro Sekunde',
    noFrames: 'beliebig: Untertitel richten sich nicht nach Einzelbildern',
    shots: 'Schnitte meiden',
    before: 'So viele Einzelbilder vor einem Schnitt enden',
    dialogue: 'Zwei Sprecher in einem Untertitel',
    dialogues: {
      'both -': '-Jede Zeile mit Strich',
      'both - ': '- Jede Zeile mit Strich und Leerzeichen',
      'second -': '-Nur die zweite Zeile, mit Strich',
      'second - ': '- Nur die zweite Zeile, mit Strich und Leerzeichen',
    },
    save: 'Speichern',
    saved: (name) =>
      `„${name}“ ist gespeichert. Sie können es unter „Prüfen nach“ und beim Neuaufbau von Untertiteln wählen.`,
    remove: 'Löschen',
    removed: (name) => `„${name}“ ist gelöscht.`,
    undo: 'Rückgängig',
    download: 'Als Datei speichern',
    open: 'Datei öffnen',
    opened: (name) => `„${name}“ wurde aus der Datei gelesen und gespeichert.`,
    tooLarge: 'Diese Datei ist zu groß für ein Profil.',
    wrong: 'Diese Datei lässt sich nicht verwenden:',
    nameFirst: 'Geben Sie dem Profil zuerst einen Namen.',
    taken: (name) =>
      `Ein Profil namens „${name}“ gibt es schon. Wählen Sie einen anderen Namen, oder bearbeiten Sie jenes Profil.`,
    order: 'Der kürzeste Untertitel darf nicht länger sein als der längste.',
  },
  profiles: {
    rules,
    why: (rule, blockedBy) =>
      blockedBy.length === 0
        ? `Nicht automatisch zu beheben: ${whyNot[rule] ?? 'keine Änderung seiner Zeiten allein genügt'}.`
        : `Nicht automatisch zu beheben: Ohne Änderung von Wörtern würde hier oder daneben ${list(
            blockedBy.map((each) => `„${rules[each] ?? each}“`),
            'or',
          )} verletzt.`,
    by: 'Prüfen nach',
    own: 'Die Grenzen dieses Auftrags',
    service: 'Die Vorgaben von Captioner',
    frameRate: 'Bilder pro Sekunde',
    itsRate: 'wie in den Regeln',
    videoRate: (rate) => `wie im Video (${number(rate)})`,
    manage: 'Ihre eigenen Profile …',
    checking: 'Wird geprüft …',
    failed: 'Die Regeln konnten nicht geladen werden. Wählen Sie sie noch einmal.',
    none: 'Jeder Untertitel hält diese Regeln ein.',
    fixAll: (found) => `Alle ${number(found)} beheben`,
    fixEverything: (found) => `Alles beheben, was sich gefahrlos beheben lässt (${number(found)})`,
    fixLabel: (at, rule) => `Untertitel ${at} beheben: ${rules[rule] ?? rule}`,
    more: (found) => `Und ${number(found)} weitere.`,
    bySource: (source) => `Quelle: ${source}.`,
  },
  framesText: {
    title: 'Einzelbilder und Timecode',
    rate: 'Bilder pro Sekunde',
    unknown: 'unbekannt: Spielen Sie das Video ab, oder wählen Sie',
    ruled: (rate) => `wie in den Regeln (${number(rate)})`,
    video: (rate) => `wie im Video (${number(rate)})`,
    drop: 'Drop-Frame',
    dropHint:
      'In jeder Minute außer jeder zehnten fallen zwei oder vier Nummern weg, damit der Timecode mit der Uhr Schritt hält.',
    times: 'Zeiten zeigen in',
    auto: 'Einzelbildern, solange die gewählten Regeln danach fragen',
    frames: 'Einzelbildern (HH:MM:SS:FF)',
    milliseconds: 'Millisekunden',
    start: 'Beginn des Programms',
    startHint:
      'Der Timecode des ersten Bildes. Er wird zu allen hier gezeigten Zeiten addiert, auch in Dateien, die Bilder zählen.',
    badStart: (isKnown) =>
      isKnown
        ? 'Geben Sie einen Timecode ein, etwa 10:00:00:00.'
        : 'Wählen Sie zuerst die Bilder pro Sekunde.',
    noRate: 'Zeiten werden in Millisekunden gezeigt: Die Bilder pro Sekunde sind nicht bekannt.',
    now: (example) => `Eine Sekunde nach Beginn der Aufnahme heißt jetzt ${example}.`,
  },
  reportText: {
    title: (name) => `Untertitel von ${name}`,
    own: 'Die Grenzen dieses Auftrags',
    atRate: (by, rate) => `${by}, bei ${number(rate)} Bildern pro Sekunde`,
    columns: ['Untertitel', 'Beginn', 'Ende', 'Text', 'Warnungen'],
    summary: (by, found, warned, score) =>
      `Geprüft nach: ${by}. ${captions(found)}, ${warnings(warned)}. Formatwert: ${percent(score)}.`,
  },
  rebuildText: {
    title: 'Untertitel neu aufbauen',
    what: 'Was zu tun ist',
    anew: 'Neu aufteilen und Zeiten neu setzen',
    linesOnly: 'Nur ihre Zeilen neu umbrechen',
    which: 'Welche Untertitel',
    all: (found) => `Alle ${number(found)}`,
    selected: (found) => `Die ${number(found)} ausgewählten`,
    rules: 'Regeln',
    own: 'Diese Einstellungen',
    hint: 'Jedes Wort bleibt, wie es ist. Wo möglich, kommen die Zeiten von den erkannten Wörtern.',
    become: (before, after) =>
      counts(before, {
        one: `Aus # Untertitel werden ${number(after)}.`,
        other: `Aus # Untertiteln werden ${number(after)}.`,
      }),
    noChange: 'Nichts würde sich ändern.',
    run: 'Neu aufbauen',
    done: (found) => `Neu aufgebaut: jetzt ${captions(found)}.`,
  },
  scriptText: {
    title: 'Ein Skript abgleichen',
    hint: 'Fügen Sie ein, was gesagt wurde, ganz oder zum Teil. Die Untertitel erhalten genau diese Wörter, zu den Zeiten, zu denen sie gesprochen wurden. Ein Absatz oder eine Zeile darf mit dem Namen eines Sprechers und einem Doppelpunkt beginnen.',
    label: 'Skript',
    file: 'Textdatei auswählen',
    align: 'Abgleichen',
    again: 'Zurück zum Skript',
    use: 'Diese Wörter verwenden',
    empty: 'Fügen Sie zuerst das Skript ein.',
    tooLarge: 'Die Datei ist größer als 5 MB.',
    agreement: (share) =>
      `${percent(share)} des Skripts stimmen mit den erkannten Wörtern überein.`,
    unlike:
      'Das Skript stimmt großenteils nicht mit der Aufnahme überein. Ist es das richtige? Die Zeiten von Wörtern ohne Entsprechung sind geschätzt.',
    part: (from, to) =>
      `Das Skript gehört zu einem Teil des Vortrags, von ${from} bis ${to}. Die Untertitel davor und danach bleiben, wie sie sind.`,
    whole: 'Das Skript gehört zum ganzen Vortrag',
    deletes: (found) =>
      counts(found, {
        one: 'Das würde # Untertitel löschen, der im Skript fehlt.',
        other: 'Das würde # Untertitel löschen, die im Skript fehlen.',
      }),
    leavesOut: (found) =>
      found === 0
        ? ''
        : counts(found, {
            one: 'Damit wird # erkanntes Wort gelöscht, das im Skript fehlt.',
            other: 'Damit werden # erkannte Wörter gelöscht, die im Skript fehlen.',
          }),
    asBefore: 'Nichts hat sich geändert: Die Untertitel enthalten diese Wörter schon.',
    same: 'Das Skript stimmt mit den erkannten Wörtern überein.',
    differences: (found) =>
      counts(found, { one: 'Es weicht an # Stelle ab:', other: 'Es weicht an # Stellen ab:' }),
    more: (found) => `Und an ${number(found)} weiteren.`,
    done: (found) => `Abgeglichen: jetzt ${captions(found)}.`,
  },
  evidence: {
    title: 'Genauigkeit prüfen',
    about:
      'Hören Sie kurze, zufällig gezogene Stellen aus dem ganzen Vortrag, und korrigieren Sie, was gezeigt wird. 50 Stellen dauern etwa fünf Minuten und ergeben eine Zahl, die sich anderen vorlegen lässt; die Korrekturen gehen auch in die Untertitel ein.',
    signIn: 'Speichern Sie diese Durchsicht zuerst auf dem Server: Dort werden die Zahlen geführt.',
    noSound: 'Öffnen Sie zuerst die Aufnahme: Was niemand gehört hat, lässt sich nicht beurteilen.',
    name: 'Ihr Name',
    nameHint: 'Er steht im Bericht.',
    start: 'Genauigkeit prüfen',
    again: 'Neue Prüfung beginnen',
    goOn: 'Fortfahren',
    passage: (at, left) =>
      counts(left, {
        one: `Stelle ${at}. Noch # Stelle bis zur nächsten Zahl.`,
        other: `Stelle ${at}. Noch # Stellen bis zur nächsten Zahl.`,
      }),
    play: 'Noch einmal abspielen',
    heard: 'Was gesagt wird',
    silent: 'Die Untertitel zeigen hier nichts. Lassen Sie das Feld leer, wenn niemand spricht.',
    late: 'Die Untertitel liegen mehr als eine halbe Sekunde daneben',
    next: 'Nächste Stelle',
    back: 'Vorige Stelle',
    errors: 'Fehler an dieser Stelle',
    noErrors: 'Keine Fehler an dieser Stelle.',
    classes: {
      substitution: 'falsches Wort',
      insertion: 'Wort zu viel',
      deletion: 'fehlendes Wort',
      name: 'Name',
      punctuation: 'Zeichensetzung oder Großschreibung',
      speaker: 'Sprecher',
      sound: 'Geräusch',
      time: 'Zeit',
    },
    error: (shown, said) => `${shown ?? '–'} → ${said ?? '–'}`,
    byHand: 'Die Untertitel wurden hier inzwischen geändert. Korrigieren Sie sie von Hand.',
    soFar: (value, heard) =>
      `Bisher ${figure(value)} von ${words(heard)}. Das zählt erst, wenn alle Stellen dieses Teils gehört sind.`,
    counts: (value) => `Genauigkeit: ${figure(value)}, mit 95 % Sicherheit.`,
    goal: (goal) => `Das Ziel ist ${percent(goal, 1)}.`,
    states: {
      open: 'Das Ziel liegt noch im Intervall.',
      above: 'Die Untertitel liegen über dem Ziel.',
      below: 'Die Untertitel liegen unter dem Ziel.',
      ended: 'Das Ziel liegt im Intervall, und es sind keine Stellen mehr übrig.',
    },
    needed: (needed) => `Um es zu entscheiden, sind etwa ${number(needed)} Wörter nötig.`,
    agreement: (people, share, kappa) =>
      kappa === null
        ? `${people} stimmen bei ${percent(share, 1)} der Wörter überein.`
        : `${people} stimmen bei ${percent(share, 1)} der Wörter überein (Kappa ${number(kappa, 2)}).`,
    reports: { 'report.json': 'Unterschriebener Bericht', 'report.pdf': 'Bericht als PDF' },
  },
  verifyText: {
    title: 'Bericht prüfen',
    about:
      'Wählen Sie einen unterschriebenen Bericht (report.json), und die Untertiteldatei, wenn Sie sie haben. Beide werden in diesem Browser geprüft; nichts wird gesendet.',
    choose: 'Dateien auswählen',
    tooLarge: (name) => `${name} ist zu groß für einen Bericht oder für Untertitel.`,
    noReport: 'Wählen Sie auch den Bericht (report.json) aus.',
    refused: (name, reason) => `${name} beweist nichts. ${reason}`,
    signed: (name, date) => `${name} ist so, wie es am ${date} unterschrieben wurde.`,
    talk: (talk) => `Es geht um die Untertitel von „${talk}“.`,
    ours: 'Dieser Server hat den Bericht unterschrieben.',
    others: (key) =>
      `Dieser Server hat den Bericht nicht unterschrieben. Fragen Sie, wer ihn Ihnen geschickt hat, welcher Server es war; dessen Schlüssel ist ${key}.`,
    unknown: (key) =>
      `Ob dieser Server den Bericht unterschrieben hat, ließ sich nicht prüfen, weil sein Schlüssel nicht gelesen wurde. Der Schlüssel des Berichts ist ${key}.`,
    same: (name) => `${name} ist die Datei, die der Bericht nennt.`,
    changed: (name) =>
      `Der Bericht gilt für eine andere Fassung: ${name} ist keine Datei, die er nennt.`,
    accuracy: (value, person) => `${person} hat eine Genauigkeit von ${figure(value)} gemessen.`,
    unmeasured: 'Niemand hat die Genauigkeit gemessen.',
    read: 'Seine Punkte',
  },
  reviewWork: {
    state: ({ state, approval, assignee, due }) => {
      if (approval?.changedSince) return `Seit der Freigabe durch ${approval.name} geändert`;
      if (approval) return `Freigegeben von ${approval.name}`;
      const whose = assignee === null ? '' : `Für ${assignee}`;
      const until = due === null ? '' : `fällig am ${day(due)}`;
      const where = state === 'in_review' ? 'In Durchsicht' : '';
      return [where, whose, until].filter((says) => says !== '').join(' · ');
    },
    title: 'Fassungen und Freigabe',
    assignTitle: 'Wer daran arbeitet',
    assignee: 'Zugewiesen an',
    assigneeHint:
      'Eine Adresse oder ein Name; leer für niemanden. Alle in Ihrem Arbeitsbereich sehen das.',
    due: 'Fällig',
    inReview: 'In Durchsicht',
    assign: 'Speichern',
    approveTitle: 'Freigabe',
    approver: 'Ihr Name',
    approve: 'Diese Fassung freigeben',
    approved: (name, when) => `Freigegeben von ${name}, ${when}.`,
    changedSince:
      'Die Untertitel wurden seither geändert. Vergleichen Sie sie unten mit der freigegebenen Fassung.',
    withdraw: 'Freigabe zurückziehen',
    notSaved:
      'Noch sind nicht alle Änderungen auf dem Server gespeichert. Geben Sie die Fassung danach frei.',
    versionsTitle: 'Fassungen',
    versionsHint:
      'Eine je Sitzung: Sie endet nach einer halben Stunde Pause, oder wenn jemand anderes speichert. Die ältesten fallen weg; eine Fassung mit Namen bleibt.',
    none: 'Noch wurde nichts gespeichert.',
    now: 'Jetzt',
    guest: 'Ein Gast',
    unknown: 'Jemand',
    byGuest: (link) => `${link} (Gast)`,
    compare: 'Vergleichen',
    compareLabel: (when) => `Mit der Fassung vergleichen: ${when}`,
    bringBack: 'Zurückholen',
    bringBackLabel: (when) => `Die Fassung zurückholen: ${when}`,
    name: 'Name',
    nameLabel: (when) => `Der Fassung einen Namen geben: ${when}`,
    keepName: 'Namen speichern',
    comparedTitle: (when) => `Vergleich mit der Fassung: ${when}`,
    broughtBack: (when) => `Die Fassung ist zurück: ${when}. „Rückgängig“ nimmt sie wieder weg.`,
    sameAsNow: 'Diese Fassung ist dieselbe wie die Untertitel jetzt.',
  },
  burnText: {
    title: 'Video mit Untertiteln im Bild',
    hint: 'Dieser Browser macht eine Kopie Ihres Videos, in der die Untertitel zum Bild gehören, wie das Abspielfenster sie zeigt: für Orte, die keine Untertitel anzeigen. Sie bleibt auf diesem Computer. Wer sie ansieht, kann diese Untertitel nicht ausschalten.',
    makes:
      'Das dauert etwa so lange wie das Video und braucht höchstens 1 GiB Arbeitsspeicher. Lassen Sie diese Seite offen.',
    noVideo: 'Öffnen Sie zuerst hier das Video.',
    cannot:
      'Dieser Browser kann keine Videos kodieren. Verwenden Sie ein aktuelles Chrome, Edge oder Safari.',
    start: 'Video erstellen',
    making: (fraction) => `Das Video wird erstellt: ${percent(fraction)}`,
    stop: 'Anhalten',
    stopped: 'Angehalten. Nichts wurde gespeichert.',
    saved: (name, size) => `Gespeichert: ${name}, ${size}.`,
    fails: {
      tooLong:
        'Das Video ist zu lang, um in einem Browser erstellt zu werden. Laden Sie die Untertitel herunter, und brennen Sie sie mit Ihrem Schnittprogramm ein.',
      other:
        'Das Video konnte nicht erstellt werden: Dieser Browser kann es nicht lesen oder nicht kodieren.',
    },
  },
  said: saidIn(
    {
      givenName: (heard, name) =>
        `„${heard}“ klingt wie ${name}; der Name wurde für diesen Vortrag angegeben.`,
      soundsLike: (heard, name) => `„${heard}“ klingt wie ${name}.`,
      mishearing: (heard, name) => `„${heard}“ steht bekanntlich oft für ${name}.`,
      doubtedSubject: (heard, name) =>
        `„${heard}“ sind gewöhnliche englische Wörter, aber unsicher erkannt, und ${name} gehört zum Thema des Vortrags.`,
      ordinaryNear: (heard, name, near) =>
        `„${heard}“ sind gewöhnliche englische Wörter und könnten ${name} sein: „${near}“ steht in der Nähe.`,
      doubtedNear: (heard, name, near) =>
        `„${heard}“ wurde unsicher erkannt und ist ${name}: „${near}“ steht in der Nähe.`,
      orLetters: (heard, name) =>
        `„${heard}“ kann ${name} sein oder eine Aufzählung von Buchstaben.`,
      orLetter: (heard, name) =>
        `„${heard}“ kann ${name} sein oder ein Buchstabe neben einem Wort.`,
      orWords: (heard, name) => `„${heard}“ kann der Name ${name} sein oder gewöhnliche Wörter.`,
      elsewhere: (heard, name) =>
        `„${heard}“ ist der Name ${name}, der auch an anderer Stelle gesagt wurde.`,
      ofSubject: (heard, name) =>
        `„${heard}“ ist der Name ${name}, der zum Thema des Vortrags gehört.`,
      nameNear: (heard, name, near) =>
        `„${heard}“ ist der Name ${name}: „${near}“ steht in der Nähe.`,
      near: (heard, name, near) => `„${heard}“ ist ${name}: „${near}“ steht in der Nähe.`,
      written: (heard, name) => `„${heard}“ schreibt man ${name}.`,
      modelReads: (heard, name) => `Ein Sprachmodell liest „${heard}“ als ${name}.`,
      lineLength: (length, most) => `Hat eine Zeile mit ${length} Zeichen; höchstens ${most}.`,
      lineCount: (lines, most) => `Hat ${lines} Zeilen; höchstens ${most}.`,
      noDashes: () => 'Hat zwei Sprecher ohne die Striche seiner Sprache.',
      notTwoLines: () => 'Hat zwei Sprecher, aber nicht zwei Zeilen.',
      speakers: (speakers) => `Hat ${speakers} Sprecher.`,
      tooShort: (time, least) => `Steht ${time}; mindestens ${least}.`,
      tooLong: (time, most) => `Steht ${time}; höchstens ${most}.`,
      characters: (speed, most) =>
        `Lesegeschwindigkeit: ${speed} Zeichen pro Sekunde; höchstens ${most}.`,
      words: (speed, most) => `Lesegeschwindigkeit: ${speed} Wörter pro Minute; höchstens ${most}.`,
      overlaps: (time) => `Überlappt den nächsten Untertitel um ${time}.`,
      noGap: (least) => `Lässt keine Lücke vor dem nächsten Untertitel; mindestens ${least}.`,
      gap: (time, least) =>
        `Lässt eine Lücke von ${time} vor dem nächsten Untertitel; mindestens ${least}.`,
      gapOrNone: (time, least) =>
        `Lässt eine Lücke von ${time} vor dem nächsten Untertitel; keine oder mindestens ${least}.`,
      gapOr: (time, frames, least) =>
        `Lässt eine Lücke von ${time} vor dem nächsten Untertitel; ${frames} oder mindestens ${least}.`,
      offFrames: () => 'Beginnt und endet nicht auf Einzelbildern.',
      beginsBefore: (frames) => `Beginnt ${frames} vor einem Schnitt.`,
      beginsAfter: (frames) => `Beginnt ${frames} nach einem Schnitt.`,
      endsBefore: (frames) => `Endet ${frames} vor einem Schnitt.`,
      endsAfter: (frames) => `Endet ${frames} nach einem Schnitt.`,
      adults: (title) => `${title}, für Erwachsene`,
      children: (title) => `${title}, für Kinder`,
      partsLost: (format, part, captions) =>
        `In der Datei (${format}) geht verloren: ${part} (${captions}).`,
      onlyBottom: () => 'iTT kennt Untertitel nur oben und unten: Dieser steht unten.',
      sccRate: (rate) =>
        `SCC hat 29,97 Bilder pro Sekunde: Die Zeiten folgen dieser Rate, nicht ${rate}.`,
      stlRate: (rate, used) =>
        `EBU-STL kennt ${rate} Bilder pro Sekunde nicht: Die Zeiten folgen ${used} Bildern pro Sekunde.`,
      stlFew: (code) =>
        `EBU-STL ist für 25 und 30 Bilder pro Sekunde festgelegt; nicht jedes Programm liest ${code}.`,
      late: (time) => `Erscheint ${time} s zu spät: So lange dauert es, seine Wörter zu senden.`,
      rows: (rows, most) => `Hat ${rows} Zeilen; Decoder zeigen ${most}.`,
      rowCut: (length, most) =>
        `Eine Zeile mit ${length} Zeichen ist länger als die ${most}, die hineinpassen: Ihr Ende geht verloren.`,
      rowLong: (length, most) =>
        `Eine Zeile mit ${length} Zeichen ist länger als die ${most}, die hineinpassen.`,
      plainLetters: (letters) =>
        `CEA-608 kennt ${letters} nicht: Stattdessen stehen dort einfache Buchstaben oder Fragezeichen.`,
      questionMarks: (letters) =>
        `EBU-STL kennt ${letters} nicht: Stattdessen stehen dort Fragezeichen.`,
      notWritten: () => 'Wird nicht geschrieben: Der Timecode von EBU-STL endet bei 23:59:59.',
      colourSpace: () => 'Eine Farbe, die in einem Wort beginnt, erhält ein Leerzeichen davor.',
      textCut: () => 'Der Text ist länger, als EBU-STL fasst, und wird abgeschnitten.',
      unsureRough: (unsure, words) => `${unsure} von ${words} Wörtern unsicher (grober Ersatz)`,
      unsure: (unsure, words) => `${unsure} von ${words} Wörtern unsicher`,
      noConfidenceRough: (words) => `${words} Wörter, ohne Angabe zur Sicherheit (grober Ersatz)`,
      noConfidence: (words) => `${words} Wörter, ohne Angabe zur Sicherheit`,
      wrong: (share, least, most) =>
        `Etwa ${share} % der Wörter sind wahrscheinlich falsch (${least} bis ${most} %).`,
      worst: (where) => `Am schlechtesten gehört: ${where}.`,
      noWords: (share) => `${share} % des Gesprochenen sind ohne Text.`,
      spoken: (language, where) => `${language} wird gesprochen (${where}) und wurde so erkannt.`,
      notLikeUnsure: (language, share) =>
        `Das klingt nicht nach ${language}: ${share} % der Wörter sind unsicher.`,
      notLike: (language) => `Das klingt nicht nach ${language}.`,
      partNotLikeUnsure: (where, language, share) =>
        `Was hier gesagt wird (${where}), klingt nicht nach ${language}: ${share} % der Wörter sind unsicher.`,
      partNotLike: (where, language) =>
        `Was hier gesagt wird (${where}), klingt nicht nach ${language}.`,
      soundsAs: (language) => `Es klingt nach ${language}.`,
      offersMore: (heard, meant, places, where, more) =>
        `${heard} → ${meant}, ${places} Stellen: ${where} und ${more} weitere`,
      offers: (heard, meant, places, where) => `${heard} → ${meant}, ${places} Stellen: ${where}`,
      offer: (heard, meant, where) => `${heard} → ${meant}, 1 Stelle: ${where}`,
      limitsTogether: (terms, tokens) =>
        `höchstens ${terms} Begriffe mit zusammen ${tokens} Tokens; die Aufnahme wird in einem Stück gesendet`,
      limitsWords: (words) =>
        `Begriffe von höchstens ${words} Wörtern; die Aufnahme wird in einem Stück gesendet`,
      limitsPieces: (tokens) =>
        `Begriffe mit zusammen ${tokens} Tokens; die Aufnahme wird in Teilen von chunkBytes gesendet`,
      limitsHere: () =>
        'Moonshine, Whisper und kleine Transducer achten auf die Begriffe; die Korrektur nutzt sie bei jedem Modell; nichts verlässt diesen Rechner',
      packIdentity: () => 'Identität und Anmeldung',
      packIdentityAbout: () => 'Vokabular zu Anmeldung, Berechtigung und föderierter Identität.',
      packAgents: () => 'KI-Agenten',
      packAgentsAbout: () =>
        'Agenten mit Sprachmodellen, Modelle, ihre Bewertung und Werkzeuge für Entwickler.',
      packSaasAbout: () =>
        'Verkauf und Betrieb mandantenfähiger Software für Unternehmen (Reife für Großkunden, Kennzahlen, Compliance).',
      packNightAbout: () =>
        'Abend der Community mit Vorträgen und Vorführungen zum Model Context Protocol, zu Agenten und ihrer Anmeldung.',
      packProtocolAbout: () =>
        'Offenes Protokoll, das KI-Anwendungen über MCP-Server mit Werkzeugen und Daten verbindet (JSON-RPC 2.0, stdio und Streamable HTTP).',
      packCloudflareAbout: () => 'Namen der Entwicklerplattform von Cloudflare.',
      packWorkosAbout: () =>
        'Produkte und Vokabular von WorkOS (AuthKit, SSO, Directory Sync, Radar, FGA, Vault, Admin Portal).',
      profileNotJson: () => 'Die Datei ist kein JSON.',
      profileFormat: (format) => `Die Datei ist kein Profil: „format“ muss „${format}“ sein.`,
      profileOrder: (most) => `minDuration darf nicht größer sein als maxDuration: ${most}`,
      profileWhole: (field, least, most) =>
        `${field} muss eine ganze Zahl von ${least} bis ${most} sein`,
      profileNumberOrNull: (field, least, most) =>
        `${field} muss eine Zahl von ${least} bis ${most} sein oder null`,
      profileNumber: (field, least, most) =>
        `${field} muss eine Zahl von ${least} bis ${most} sein`,
      profileObjectOrNull: (field, fields) =>
        `${field} muss ein Objekt mit ${fields} sein oder null`,
      profileObject: (field, fields) => `${field} muss ein Objekt mit ${fields} sein`,
      profileText: (field, most) =>
        `${field} muss ein einzeiliger Text von 1 bis ${most} Zeichen sein`,
      profileMissing: (field) => `${field} fehlt`,
      profileUnknown: (field) => `${field} ist kein bekanntes Feld`,
      profileOneOf: (field, values) => `${field} muss einer dieser Werte sein: ${values}`,
    },
    {
      frames: (value) => counts(value, { one: '# Einzelbild', other: '# Einzelbilder' }),
      parts: {
        italics: 'Kursivschrift',
        colours: 'Farben',
        'names of speakers': 'Namen der Sprecher',
        positions: 'Positionen',
        'exact rows': 'genaue Zeilen',
        'columns (vertical text)': 'Spalten (senkrechter Text)',
        'readings beside characters': 'Lesehilfen neben Zeichen (Ruby)',
        'dots of emphasis': 'Betonungspunkte',
        'times of words': 'Zeiten der Wörter',
      },
      captions: (value) => counts(value, { one: '# Untertitel', other: '# Untertitel' }),
    },
  ),
  saveText: {
    saved: 'Gespeichert',
    saving: 'Wird gespeichert …',
    here: 'Hier gespeichert',
    hereHint: 'In diesem Browser',
    notStored:
      'Dieser Browser kann Änderungen nicht speichern. Laden Sie die Untertitel herunter, bevor Sie die Seite verlassen.',
    alone: 'Hier gespeichert. Zum Weitergeben anmelden.',
    choose: 'Nicht gespeichert: Wählen Sie eine Fassung',
    refused: (message) => `Nur in diesem Browser gespeichert. ${message}`,
    conflict: (found) =>
      `Jemand anderes hat ${captions(found)} geändert, die auch Sie geändert haben. Nichts geht verloren: Wählen Sie, welche Fassung bleibt.`,
    compare: 'Wählen',
    news: (found) =>
      `Jemand anderes hat ${captions(found)} geändert. Die Änderungen stehen jetzt in Ihrer Durchsicht.`,
    show: 'Anzeigen',
    dismiss: 'OK',
    dialogTitle: 'Änderungen von anderen',
    conflictHint:
      'Wählen Sie für jeden dieser Untertitel eine Fassung. Dann wird Ihre Durchsicht gespeichert.',
    newsHint:
      'Diese stehen jetzt in Ihrer Durchsicht. Sie können sie bearbeiten oder rückgängig machen.',
    keepMine: 'Meine behalten',
    takeTheirs: 'Die andere nehmen',
    keepLabel: (time) => `Meine behalten, bei ${time}`,
    takeLabel: (time) => `Die andere nehmen, bei ${time}`,
    mine: 'Ihre',
    theirs: 'Die andere',
    noCaption: 'kein Untertitel',
    nothingLeft: 'Es ist nichts mehr zu wählen.',
    otherTab:
      'Diese Durchsicht wird in einem anderen Tab bearbeitet. Die Änderungen erscheinen hier.',
    editHere: 'Hier bearbeiten',
    asking: {
      asked: 'Der andere Tab wird um Übergabe gebeten …',
      unanswered: 'Der andere Tab antwortet nicht: Schließen Sie ihn, um hier zu bearbeiten.',
      unsaved:
        'Der andere Tab hat Änderungen, die dieser Browser nicht speichern konnte: Laden Sie sie zuerst dort herunter.',
    },
  },
  sharing: {
    title: 'Um Kommentare bitten',
    hint: 'Wer den Link hat, braucht kein Konto. Zu sehen sind die Untertitel, das Transkript, das Thema und die Begriffe dieser Aufnahme, sonst nichts aus Ihrem Arbeitsbereich.',
    whom: 'Für wen',
    whomHint: 'Ein Name für den Link, den nur Ihr Arbeitsbereich sieht.',
    right: 'Wer den Link hat, darf',
    rights: { view: 'lesen', comment: 'lesen und kommentieren', edit: 'die Untertitel bearbeiten' },
    days: 'Er gilt',
    day: (days) => counts(days, { one: '# Tag', other: '# Tage' }),
    hear: 'Die Aufnahme hören lassen',
    hearHint:
      'Zu hören ist der Ton, der beim Auftrag bleibt, bis Sie ihn abschließen oder der Link endet.',
    sendHint:
      'Zu diesem Auftrag ist kein Ton da. Ihr Browser erstellt eine kleine MP3-Datei und lädt sie nur für die Gäste dieses Links hoch; der Server löscht sie mit dem Link.',
    hearNot:
      'Die Aufnahme ist nicht hier. Öffnen Sie sie zuerst in der Durchsicht, um sie hören zu lassen.',
    see: 'Das Video sehen lassen',
    seeHint: 'Die kleine Kopie, die dem Auftrag hinzugefügt wurde.',
    soundMade: (fraction) => `Kleine MP3-Datei wird erstellt: ${percent(fraction)}`,
    soundSent: (fraction) => `Aufnahme wird gesendet: ${percent(fraction)}`,
    soundFails:
      'Es wurde kein Link erstellt: Dieser Browser kann aus dieser Aufnahme keine kleine MP3-Datei machen.',
    make: 'Link erstellen',
    making: 'Link wird erstellt …',
    made: 'Der Link gilt jetzt. Verschicken Sie ihn:',
    mailLabel: 'Ihre E-Mail',
    mailSubject: (talk) => `Bitte sehen Sie die Untertitel von ${talk} an`,
    mail: {
      view: (url, until, gets) =>
        mail('hier sind die Untertitel einer Aufnahme.', url, until, gets),
      comment: (url, until, gets) =>
        mail(
          'bitte sehen Sie diese Untertitel an, und kommentieren Sie, wo etwas nicht stimmt: vor allem Namen und Begriffe.',
          url,
          until,
          gets,
        ),
      edit: (url, until, gets) =>
        mail(
          'bitte korrigieren Sie diese Untertitel; was Sie ändern, wird gespeichert.',
          url,
          until,
          gets,
        ),
    },
    openMail: 'E-Mail schreiben',
    copyMail: 'E-Mail kopieren',
    mailCopied: 'Die E-Mail ist kopiert.',
    copy: 'Link kopieren',
    copied: 'Der Link ist kopiert.',
    notCopied:
      'Der Browser hat das Kopieren nicht erlaubt. Wählen Sie den Text aus, und kopieren Sie ihn.',
    links: 'Links, die jetzt gelten',
    none: 'Noch keine Links.',
    unnamed: (made) => `Link vom ${made}`,
    link: (right, until, gets) =>
      `Darf ${list(
        [right, gets.hears ? 'die Aufnahme hören' : '', gets.sees ? 'das Video sehen' : ''].filter(
          (may) => may !== '',
        ),
      )}${gets.hears ? '' : ' (ohne Ton)'}, bis ${until}`,
    notOpened: 'Noch niemand hat ihn geöffnet.',
    opened: (times, last, people) =>
      people.length === 0
        ? `${number(times)}-mal geöffnet, zuletzt ${last}.`
        : `${number(times)}-mal geöffnet, zuletzt ${last}. Kommentare von ${list(people)}.`,
    rename: 'Umbenennen',
    nameOf: (link) => `Name von ${link}`,
    saveName: 'Speichern',
    renamed: 'Umbenannt.',
    revoke: 'Widerrufen',
    of: (verb, link) => `${verb}: ${link}`,
    revoked: 'Widerrufen. Der Link öffnet nichts mehr.',
    staysTitle: 'Was beim Auftrag bleibt',
    soundStays: (size) =>
      `Der Ton (${size}), bis Sie die Durchsicht abschließen. Ihr Arbeitsbereich hört ihn in jedem Browser.`,
    noSoundStays:
      'Kein Ton: Er wurde nach der Transkription oder beim Abschluss der Durchsicht gelöscht.',
    videoStays: (size) =>
      `Ein kleines Video (${size}), bis Sie die Durchsicht abschließen. Ihr Arbeitsbereich sieht es in jedem Browser.`,
    videoHere:
      'Das Video ist nur auf diesem Computer. Hier lässt sich eine kleine Kopie (360 Zeilen) erstellen und dem Auftrag hinzufügen, für Sie in anderen Browsern und für Gäste; sie wird gelöscht, wenn Sie die Durchsicht abschließen.',
    videoCannot:
      'Das Video ist nur auf diesem Computer. Dieser Browser kann keine kleine Kopie davon erstellen.',
    noVideoHere: 'Kein Video.',
    addVideo: 'Kleines Video hinzufügen',
    deleteVideo: 'Video aus dem Auftrag löschen',
    videoMade: (fraction) => `Kleines Video wird erstellt: ${percent(fraction)}`,
    videoSent: (fraction) => `Video wird gesendet: ${percent(fraction)}`,
    videoAdded: (size) => `Hinzugefügt: ${size}.`,
    videoDeleted: 'Das Video ist vom Server gelöscht.',
    videoFails: {
      tooLong: 'Das Video ist zu lang für eine kleine Kopie.',
      other: 'Dieser Browser kann keine kleine Kopie dieses Videos erstellen.',
    },
    opening: 'Durchsicht wird geöffnet …',
    gone: 'Dieser Link öffnet nichts: Er ist abgelaufen, widerrufen oder unvollständig. Bitten Sie die Person, die ihn Ihnen geschickt hat, um einen neuen.',
    refused: (message) => `Dieser Link konnte nicht geöffnet werden. ${message}`,
    over: 'Dieser Link ist zu Ende. Was Sie sehen, bleibt, bis Sie die Seite schließen; gesendet und gespeichert wird aber nichts mehr.',
    asGuest: {
      view: 'Sie können lesen',
      comment: 'Sie können kommentieren',
      edit: 'Sie können bearbeiten',
    },
    until: (time) => `Der Link gilt bis ${time}`,
    comments: 'Kommentare',
    tooMany: (most) =>
      `Mehr als ${number(most)} Kommentare sind nicht möglich. Löschen Sie zuerst einige.`,
    notKept: 'Dieser Browser behält den Kommentar nicht: Sein Speicher ist voll oder gesperrt.',
    noComments: 'Noch keine Kommentare.',
    away: 'Kommentare werden auf dem Server aufbewahrt, für alle, die diese Durchsicht sehen. Melden Sie sich an, um sie zu lesen und zu schreiben.',
    ofFile:
      'Untertitel aus einer Datei sind nur auf diesem Computer, ebenso diese Kommentare. Laden Sie sie als CSV herunter, um sie weiterzugeben.',
    yourName: 'Ihr Name',
    nameHint: 'Er steht bei Ihren Kommentaren.',
    write: (time) => `Kommentar bei ${time}`,
    send: 'Kommentieren',
    answer: 'Antworten',
    answerTo: (name) => `Antwort an ${name}`,
    answerLabel: (name, time) => `${name} antworten, bei ${time}`,
    settle: 'Erledigt',
    settleLabel: (name, time) => `Erledigt: ${name}, bei ${time}`,
    reopen: 'Wieder öffnen',
    reopenLabel: (name, time) => `Wieder öffnen: ${name}, bei ${time}`,
    delete: 'Löschen',
    deleteLabel: (name, time) => `Löschen: ${name}, bei ${time}`,
    goTo: (time) => `Zu ${time}`,
    settled: (comments) =>
      counts(comments, { one: '# erledigter Kommentar', other: '# erledigte Kommentare' }),
    csv: 'Als CSV herunterladen',
    notSent: (message) => `Nicht gesendet. ${message}`,
    offline: 'Nicht gesendet: Es gibt keine Verbindung. Versuchen Sie es noch einmal.',
    shown: (name, said, answers) =>
      answers === 0
        ? `${name}: ${said}`
        : `${name}: ${said} (${counts(answers, { one: '# Antwort', other: '# Antworten' })})`,
    open: 'Öffnen',
    openLabel: (name) => `Den Kommentar von ${name} öffnen`,
  },
  translationText: {
    title: 'Übersetzungen',
    another: 'Weitere Sprache …',
    back: 'Zurück zu den Untertiteln',
    signIn: 'Melden Sie sich an, um diese Untertitel zu übersetzen.',
    none: 'Von diesen Untertiteln gibt es noch keine Übersetzung.',
    loading: 'Übersetzung wird geladen …',
    language: 'Übersetzung in',
    named: (language, state) =>
      state === 'completed' ? language : `${language} (${translationStates[state] ?? state})`,
    state: (state) => translationStates[state] ?? state,
    progress: (share) => percent(share),
    left: (wait) =>
      wait < 60
        ? 'noch weniger als eine Minute'
        : counts(Math.round(wait / 60), {
            one: 'noch etwa # Minute',
            other: 'noch etwa # Minuten',
          }),
    cancel: 'Abbrechen',
    erase: 'Diese Übersetzung löschen …',
    eraseDo: 'Löschen',
    eraseHint:
      'Sie wird für alle in Ihrem Arbeitsbereich gelöscht, samt allem, was darin geändert wurde.',
    failed: (message) => `Die Übersetzung ist fehlgeschlagen. ${message}`,
    again: 'Noch einmal übersetzen',
    changed:
      'Diese Übersetzung ist älter als das Original, das seither geändert wurde. Eine neue fragt nur nach den geänderten Sätzen.',
    noAnswer: 'Keine Verbindung zum Server. Versuchen Sie es noch einmal.',
    dialog: {
      title: 'Untertitel übersetzen',
      language: 'In',
      provider: 'Durch',
      profile: 'Zeilen und Lesegeschwindigkeit',
      profileDefault: 'Die Vorgaben dieses Servers',
      formality: 'Anrede',
      formalities: { '': 'Automatisch', formal: 'Förmlich', informal: 'Vertraut' },
      start: 'Übersetzen',
      cancel: 'Abbrechen',
      none: 'Dieser Server sagt nicht, womit er übersetzt. Versuchen Sie es noch einmal, wenn Sie online sind.',
      notFrom:
        'Die eigenen Modelle des Servers kennen die Sprache dieser Untertitel nicht. Der Betreiber kann ein Sprachmodell einrichten.',
      stays:
        'Der Server übersetzt mit den Modellen von Firefox, aus dem und ins Englische oder auf dem Weg über Englisch. Der Text geht an niemanden sonst. Thema und Begriffe kennen die Modelle nicht; ein Sprachmodell kann es besser.',
      leaves: (who) =>
        `Der Text aller Untertitel geht ${who}, mit dem Thema, den Namen der Sprecher und den vorkommenden Namen und Begriffen. Ton und Bild werden nicht gesendet.`,
      who: {
        deepl: 'an DeepL',
        google: 'an Google',
        libretranslate:
          'an LibreTranslate, oder an den Server davon, den der Betreiber dieses Servers gewählt hat',
        openai: 'an OpenAI',
        groq: 'an Groq',
        'workers-ai': 'an Cloudflare',
        'openai-compatible': 'an ein Sprachmodell, das der Betreiber dieses Servers gewählt hat',
      },
      whoElse: (name) => `an ${name}`,
    },
    counts: (sentences, found, missing = 0) =>
      missing > 0
        ? `${counts(sentences, { one: `${sentences - missing} von # Satz`, other: `${sentences - missing} von # Sätzen` })}; ${captions(found)}.`
        : `${counts(sentences, { one: '# Satz, übersetzt', other: '# Sätze, jeder einmal und der Reihe nach übersetzt' })}; ${captions(found)}.`,
    missing: (missing, sentences, language) =>
      counts(missing, {
        one: `${sentences - missing} von ${sentences} Sätzen sind übersetzt; # steht noch in ${language || 'der Sprache des Originals'}.`,
        other: `${sentences - missing} von ${sentences} Sätzen sind übersetzt; # stehen noch in ${language || 'der Sprache des Originals'}.`,
      }),
    againMissing: (missing) =>
      missing === 1 ? 'Ihn noch einmal übersetzen' : 'Diese noch einmal übersetzen',
    doubts: (found) => counts(found, { one: '# unsichere Stelle', other: '# unsichere Stellen' }),
    warnings,
    nothingLeft: 'Nichts ist unsicher.',
    nextDoubt: 'Nächste unsichere Stelle',
    nextWarning: 'Nächste Warnung',
    source: 'Original',
    pairs: 'Sätze mit ihren Übersetzungen',
    playFrom: (time) => `Ab ${time} abspielen`,
    edit: (at) => `Übersetzung von Satz ${at} ändern`,
    field: (at) => `Übersetzung von Satz ${at}`,
    fieldHint: keyNames('Ctrl+Enter speichert und geht weiter, Esc lässt es, wie es war.'),
    confirm: 'Es stimmt',
    confirmLabel: (at) => `Es stimmt: Satz ${at}`,
    confirmed: 'Von einem Menschen geprüft',
    reopen: 'Wieder als unsicher markieren',
    restore: 'Fassung des Modells',
    restoreLabel: (at) => `Fassung des Modells: Satz ${at}`,
    edited: 'Geändert',
    remembered: {
      person: 'Wie ein Mensch es früher übersetzt hat',
      engine: 'Aus einer früheren Übersetzung',
    },
    similar: (likeness, who) =>
      `${who === 'person' ? 'Ein Mensch' : (who.split(' ')[1] ?? who)}, ${likeness === 1 ? 'derselbe Satz' : `zu ${percent(likeness)} gleich`}:`,
    anew: 'Diesen Satz neu übersetzen',
    anewBy: (engine) => `Neu: ${engine}`,
    saving: 'Wird gespeichert …',
    saved: 'Gespeichert',
    notSaved: (message) => `Nicht gespeichert. ${message}`,
    retry: 'Noch einmal speichern',
    stale: (theirs) =>
      `Jemand anderes hat diesen Satz zu „${theirs}“ geändert. Speichern Sie noch einmal, um Ihren zu behalten, oder drücken Sie Esc.`,
    download: 'Herunterladen',
    downloadAs: (format) => `${format.toUpperCase()} in dieser Sprache`,
    downloadAll: 'Alle Sprachen und Formate (ZIP)',
    downloaded: (name) => `${name} heruntergeladen.`,
  },
};
