/** French, which addresses the reader with “vous”. */
// As in English: Guide, Captioner, Deepgram, DeepL, Google, LibreTranslate, AssemblyAI, OpenAI, Groq, Transcription, Position, Format, Ctrl, Alt, Tab, Source, Script, Versions, min, kappa, Organisation
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
const captions = (value: number): string =>
  counts(value, { one: '# sous-titre', other: '# sous-titres' });
const terms = (value: number): string => counts(value, { one: '# terme', other: '# termes' });
const places = (value: number): string => counts(value, { one: '# endroit', other: '# endroits' });
const warnings = (value: number): string => counts(value, { one: '# alerte', other: '# alertes' });
const files = (value: number): string => counts(value, { one: '# fichier', other: '# fichiers' });
const recordings = (value: number): string =>
  counts(value, { one: '# enregistrement', other: '# enregistrements' });
const jobs = (value: number): string => counts(value, { one: '# tâche', other: '# tâches' });
const words = (value: number): string => counts(value, { one: '# mot', other: '# mots' });
/** Rounded down: what is not done is not shown as done. */
const done = (share: number): string => percent(Math.floor(share * 100) / 100);

/** What the first screen needs, and the job that it starts. */
export const first: FirstTexts = {
  units: {
    seconds: (value) => `${value} s`,
    minutes: (time) => `${time} min`,
    hours: (time) => `${time} h`,
    megabytes: (value) => `${value} Mo`,
    keys: {
      Ctrl: 'Ctrl',
      Alt: 'Alt',
      Shift: 'Maj',
      Enter: 'Entrée',
      Escape: 'Échap',
      Space: 'Espace',
      Backspace: 'Retour arrière',
      Delete: 'Suppr',
      Home: 'Début',
      End: 'Fin',
      PageUp: 'Page préc.',
      PageDown: 'Page suiv.',
      Tab: 'Tab',
    },
  },
  shell: {
    name: 'Captioner',
    skip: 'Aller au contenu',
    header: {
      start: 'Nouveaux sous-titres',
      pastRuns: 'Bibliothèque',
      terms: 'Termes',
      settings: 'Paramètres',
      signIn: 'Se connecter',
      account: (email) => `Compte ${email}`,
      signOut: 'Se déconnecter',
      signOutAsk:
        'Ce navigateur conserve des enregistrements, des résultats et vos corrections. Toute personne qui l’utilise peut les ouvrir.',
      signOutHint: 'Les données sur le serveur ne sont pas touchées.',
      signOutKeep: 'Se déconnecter et les garder',
      signOutForget: 'Se déconnecter et les supprimer',
      toDark: 'Couleurs sombres',
      toLight: 'Couleurs claires',
      guide: 'Guide',
    },
    offline:
      'Pas de connexion au serveur. Rien n’est perdu ; la connexion se rétablira d’elle-même.',
    wrong:
      'Un problème est survenu sur cette page. Rechargez-la ; vos modifications sont enregistrées.',
    loading: 'Chargement…',
    reload: 'Recharger',
    cancel: 'Annuler',
    close: 'Fermer',
    start: {
      title: 'Sous-titrer une conférence',
      lead: 'Déposez un enregistrement. Recevez des sous-titres aux noms justes. Vérifiez-les, puis publiez.',
      drop: 'Déposez ici un fichier vidéo ou audio',
      dropless: 'Un fichier vidéo ou audio',
      choose: 'Choisir un fichier',
      hint: 'Seul le son est envoyé, sous forme d’un petit MP3. Une vidéo reste sur cet ordinateur, sauf si vous ajoutez plus tard une petite copie à la tâche.',
      hintSound: 'Il est envoyé sous forme d’un petit MP3.',
      sound: 'Le son',
      soundKeep:
        'Reste avec la tâche jusqu’à ce que vous la terminiez. Vous et votre espace de travail l’entendez dans tout navigateur, tout comme les personnes à qui vous envoyez un lien.',
      soundDelete: 'Est supprimé dès qu’il est transcrit. Seul ce navigateur peut ensuite le lire.',
      own: 'Des sous-titres que vous avez déjà',
      ownHint:
        'Les fichiers SRT, VTT, ASS, TTML, STL, SCC et d’autres formats s’ouvrent pour relecture, seuls ou avec leur vidéo. Déposez-les ci-dessus.',
      noCaptions: (name) => `Aucun sous-titre n’a été trouvé dans ${name}.`,
      keepsNothing:
        'Ce navigateur ne permet pas aux pages d’enregistrer des données ; ces sous-titres ne peuvent donc pas être ouverts ici.',
      sample: 'Essayer l’exemple',
      sampleName: 'Exemple de conférence',
      sampleHint: 'Une demi-minute, déjà sous-titrée. Rien n’est envoyé ; aucun compte requis.',
      letGo: 'Déposez n’importe où',
      another: 'Choisir un autre fichier',
      underWay: (name) => `${name} est encore en cours d’envoi.`,
      files: recordings,
      queueUnderWay: (left) =>
        counts(left, {
          one: '# enregistrement est encore en cours.',
          other: '# enregistrements sont encore en cours.',
        }),
      empty: (name) => `${name} est vide. Choisissez un autre fichier.`,
      topic: 'De quoi s’agit-il ?',
      topicHint: 'Les noms et les termes du domaine sont alors reconnus.',
      topicExample: 'MCP Night, authentification des agents',
      language: 'Langue',
      detect: 'Détecter la langue',
      speakers: 'Nombre de locuteurs',
      findSpeakers: 'Déterminer d’après les voix',
      make: 'Créer les sous-titres',
      more: 'Autres paramètres',
    },
    terms: {
      glossary: 'Glossaire',
      glossaryHint:
        'Noms et termes tels qu’ils doivent être écrits, un par ligne ou séparés par des virgules.',
      paste: 'Trouver des noms dans un texte ou un fichier',
      packs: 'Packs de termes',
      packsHint:
        'Choisis d’après votre sujet, votre glossaire et ce qui est dit. Cochez un pack pour l’utiliser dans tous les cas.',
      packTerms: terms,
      exclude: 'Laisser de côté',
      excludeHint: 'Termes des packs qui n’apparaissent pas dans cette conférence.',
    },
    provider: {
      title: 'Reconnaissance vocale et corrections',
      speech: 'Reconnaissance vocale',
      about: (model, limits) =>
        [`Modèle : ${model}`, limits]
          .filter((said) => said !== '')
          .map(sentence)
          .join(' '),
      audit: 'Qui corrige les noms et les termes',
      auditAutomatic: 'Automatique',
      auditNone: 'Personne : les mots restent tels qu’entendus',
      mode: 'Avec quel soin',
      modes: {
        publishable: 'Prêt à publier : le plus soigneux',
        fast: 'Rapide',
        experimental: 'Expérimental',
      },
      names: {
        edge: 'Sur ce serveur',
        apertium: 'Apertium, par règles',
        deepgram: 'Deepgram',
        deepl: 'DeepL',
        google: 'Google',
        libretranslate: 'LibreTranslate',
        assemblyai: 'AssemblyAI',
        openai: 'OpenAI',
        groq: 'Groq',
        none: 'Aucun',
      },
      confidence: 'Ne corriger qu’à partir de cette certitude (0 à 1)',
    },
    format: {
      title: 'Format des sous-titres',
      maxLineChars: 'Caractères par ligne',
      maxLines: 'Lignes par sous-titre',
      maxDuration: 'Sous-titre le plus long, en secondes',
      minDuration: 'Sous-titre le plus court, en secondes',
    },
    run: {
      title: (name) => `Sous-titres de ${name}`,
      untitled: 'Sous-titres',
      makingNote: (made, length) => `${clock(made)} sur ${clock(length)}`,
      uploadNote: (sent, bytes) => `${megabyteFigure(sent)} sur ${megabytes(bytes)}`,
      startOver: 'Recommencer',
      signIn: 'Connectez-vous pour voir cette tâche.',
      notFound: 'Cette tâche n’existe pas dans cet espace de travail, ou elle a expiré.',
      refused: (message) => `Le serveur a refusé la demande. ${message}`,
    },
  },
  problems: {
    byCode: {
      audio_not_found: 'L’enregistrement n’est plus sur le serveur. Envoyez-le à nouveau.',
      audio_unreadable:
        'L’enregistrement est illisible. Il est endommagé ou n’est pas un fichier MP3.',
      audio_too_long: 'L’enregistrement est trop long. Divisez-le en parties plus courtes.',
      provider_not_configured: 'Ce fournisseur n’est pas configuré sur le serveur.',
      provider_unauthorized:
        'Le fournisseur a refusé l’accès du serveur. L’exploitant doit le renouveler.',
      provider_rate_limited:
        'Le fournisseur n’accepte plus de demandes pour le moment. Réessayez plus tard.',
      provider_unavailable: 'Le fournisseur est injoignable pour le moment. Réessayez plus tard.',
      provider_timeout: 'Le fournisseur n’a pas répondu à temps.',
      provider_bad_response: 'La réponse du fournisseur était inutilisable.',
      model_unavailable: 'Le fournisseur ne propose pas ce modèle.',
      language_unsupported: 'Cette langue ne peut pas être reconnue ici.',
      audit_unparseable:
        'La réponse du modèle de langage sur les noms et les termes était inutilisable.',
      internal: 'Un problème est survenu sur le serveur.',
      answer_too_large: 'La réponse serait trop volumineuse. Demandez-en moins à la fois.',
      captions_not_ready: 'Les sous-titres ne sont pas encore prêts.',
      comment_not_found: 'Ce commentaire n’existe plus.',
      idempotency_conflict: 'Cette demande a déjà été faite avec un autre contenu.',
      incomplete_upload: 'Le fichier n’est pas arrivé en entier.',
      insufficient_right: 'Ce lien ne le permet pas.',
      insufficient_scope: 'Votre clé ne le permet pas.',
      invalid_credential: 'Votre clé n’est plus valable. Reconnectez-vous.',
      invalid_payload: 'Une indication n’est pas valable. Vérifiez votre saisie.',
      key_not_found: 'Cette clé n’existe plus.',
      link_not_found: 'Ce lien n’existe plus.',
      measurement_not_found: 'Cette mesure n’existe plus.',
      missing_credential: 'Connectez-vous d’abord.',
      not_found: 'Il n’y a rien à cette adresse.',
      payload_too_large: 'C’est plus que ce que le serveur accepte en une fois.',
      precondition_failed: 'Quelqu’un d’autre l’a modifié entre-temps.',
      precondition_required: 'Quelqu’un d’autre l’a modifié entre-temps.',
      quota_exceeded: 'Le quota est épuisé. Adressez-vous à l’exploitant du serveur.',
      rate_limited: 'Trop de demandes ont été faites. Attendez un moment.',
      review_not_found: 'Cette relecture n’existe pas.',
      rule_not_applicable: 'Cette règle ne peut pas être appliquée ainsi.',
      rule_not_found: 'Cette règle n’existe plus.',
      run_not_ended: 'La tâche n’est pas encore terminée.',
      run_not_found: 'Cette tâche n’existe pas, ou elle a expiré.',
      runs_in_progress: 'Des tâches sont encore en cours.',
      sound_not_found: 'Cette tâche n’a plus de son.',
      term_not_found: 'Ce terme n’existe plus.',
      too_many_comments:
        'Le nombre maximal de commentaires est atteint. Supprimez-en d’abord quelques-uns.',
      too_many_links: 'Le nombre maximal de liens est atteint. Révoquez-en d’abord quelques-uns.',
      too_many_measurements: 'Le nombre maximal de mesures est atteint.',
      translation_not_ended: 'La traduction est encore en cours.',
      translation_not_found: 'Cette traduction n’existe plus.',
      unavailable: 'Le serveur ne peut pas le faire pour l’instant. Réessayez dans un moment.',
      unsupported_media_type: 'Le serveur n’accepte pas les fichiers de ce type.',
      upload_busy: 'Ce fichier est encore en cours d’envoi.',
      upload_expired: 'L’envoi a duré trop longtemps. Recommencez-le.',
      upload_not_found: 'Le fichier envoyé n’est plus là. Envoyez-le à nouveau.',
      upload_too_large: `Le fichier est trop volumineux : ${UPLOAD.maxSize} au plus.`,
      upload_too_slow: 'Le fichier arrivait trop lentement. Essayez avec une meilleure connexion.',
      video_required: 'Il faut une vidéo pour cela.',
    },
    other: (message) => `Le serveur répond en anglais : « ${message} »`,
  },
  progressText: {
    making: 'Création d’un petit MP3',
    uploading: 'Envoi en cours',
    starting: 'Démarrage',
    reading: 'Lecture du fichier',
    signIn: 'Prêt à envoyer : en attente de votre connexion',
    percent: done,
    left: (s) => `encore ${s < 60 ? `${s} s` : `${Math.round(s / 60)} min`}`,
    soFar: (s) => `${duration(s)} jusqu’ici`,
    stayHere: 'Gardez cette page ouverte jusqu’à la fin de l’envoi.',
    tell: 'M’avertir quand c’est terminé',
    telling: 'Votre navigateur vous avertira quand ce sera terminé.',
    tellRefused: 'Votre navigateur n’autorise pas les notifications de cette page.',
    told: (name) => `Sous-titres de ${name}`,
    toldDone: 'Ils sont prêts à être vérifiés.',
    toldOther: 'Il n’y a pas de sous-titres. Ouvrez la page pour voir pourquoi.',
    cancel: 'Annuler',
    failed: 'Le sous-titrage a échoué',
    queued: 'En attente',
    queuedBehind: (runs) =>
      runs === 0
        ? 'c’est la prochaine'
        : counts(runs, {
            one: '# de vos tâches passe avant',
            other: '# de vos tâches passent avant',
          }),
    loading: 'Chargement du modèle vocal',
    stages: {
      payload: 'Préparation',
      storage: 'Préparation de la reconnaissance vocale',
      transcription: 'Transcription en cours',
      moderation: 'Vérification de ce qui est dit',
      terminology_audit: 'Correction des noms et des termes',
      correction: 'Correction des noms et des termes',
      captioning: 'Découpage en sous-titres',
      workflow: 'Finalisation',
    },
    heardTitle: 'Transcription jusqu’ici',
    heardNote: 'Un aperçu. Les termes sont corrigés plus tard, dans les sous-titres.',
    heardFirst: 'Les premiers mots sont transcrits.',
    heardUntil: (s) => `Transcrit jusqu’ici : ${duration(s)}.`,
    canClose: 'Vous pouvez fermer cette page. Vous trouverez les sous-titres dans la bibliothèque.',
    cancelling: 'Annulation…',
    conversion: {
      no_audio: 'Ce fichier n’a pas de son. Choisissez-en un autre.',
      unreadable:
        'Ce fichier ne peut être lu ni comme vidéo ni comme son. Il est peut-être endommagé, ou d’un autre type.',
      codec_unsupported:
        'Ce navigateur ne peut pas lire le son de ce fichier. Convertissez-le en MP3 avec cette commande, puis déposez le MP3 ici :',
      failed:
        'Le MP3 n’a pas pu être créé. Réessayez, ou créez-le avec cette commande et déposez-le ici :',
      too_large: `En MP3, cet enregistrement dépasse la limite de ${UPLOAD.maxSize}. Divisez-le en parties et déposez-les toutes à la fois.`,
    },
  },
  runEndText: {
    otherWays: 'Ou essayez ceci',
    providers: {
      edge: 'ce serveur',
      deepgram: 'Deepgram',
      assemblyai: 'AssemblyAI',
      openai: 'OpenAI',
      groq: 'Groq',
    },
    transcribeHere: 'Transcrire sur ce serveur',
    transcribeWith: (name) => `Transcrire avec ${name}`,
    auditHere: 'Vérifier les termes sur ce serveur',
    auditWith: (name) => `Vérifier les termes avec ${name}`,
    auditNone: 'Créer les sous-titres sans vérifier les termes',
    auditNoneHint: 'Les mots restent tels qu’ils ont été reconnus.',
    anyModel: 'Laisser le serveur choisir le modèle',
    uploadAgain: 'Envoyer à nouveau',
    otherFile: 'Choisir un autre fichier',
    otherFileHint: 'Il est sous-titré avec les mêmes paramètres.',
    settings: 'Changer de langue ou de fournisseur',
    language: 'Langue',
    provider: 'Transcrire avec',
    back: 'Retour',
    tryAgain: 'Réessayer',
    settingsHint:
      'Le même enregistrement est sous-titré à nouveau ; tous les autres paramètres restent les mêmes.',
    listen: 'Enregistrement',
    notHere:
      'L’enregistrement n’est pas conservé dans ce navigateur. Ouvrez le fichier pour l’entendre.',
    open: 'Ouvrir l’enregistrement',
    tooLongHint:
      'Divisez-le d’abord en parties, par exemple avec cette commande, puis déposez-les toutes à la fois :',
    noSpeech: 'Aucune parole n’a été reconnue dans ce fichier',
    noSpeechAdvice:
      'Si vous entendez parler, une autre langue ou un autre fournisseur la reconnaîtra peut-être.',
    byHand: 'Écrire les sous-titres à la main',
    byHandHint:
      'Ouvre l’éditeur sans sous-titres. Chaque nouveau sous-titre commence à la position actuelle de l’enregistrement.',
    blockedListen: 'Écouter ce passage',
    cancelled: 'Annulée',
    cancelledNote: 'La tâche a été annulée.',
    recording: {
      deleted: 'Son enregistrement a été supprimé du serveur.',
      retained: 'Son enregistrement est encore sur le serveur, comme demandé.',
      skipped: 'Son enregistrement est encore sur le serveur et sera supprimé à son expiration.',
      failed: 'Son enregistrement n’a pas encore pu être supprimé. Le serveur continue d’essayer.',
    },
    failedAt: (stage) => `Échec à cette étape : ${stage}.`,
    again: 'Relancer',
    chooseFile: 'Choisir le fichier',
    needFile:
      'L’enregistrement n’est pas conservé ici. Choisissez à nouveau le fichier pour relancer avec ce changement.',
    blocked: 'Ce contenu n’est pas autorisé ici',
    blockedWhy: (severity) =>
      `Ce qui est dit enfreint les règles de contenu de ce service (gravité : ${severity}).`,
    blockedWhere: 'Où dans l’enregistrement',
    blockedAdvice:
      'Le même enregistrement serait bloqué à nouveau. Coupez ce passage, ou adressez-vous à l’exploitant de ce service.',
  },
  queueText: {
    title: 'Enregistrements',
    done: (finished, all) => `${finished} sur ${recordings(all)} : terminé`,
    allDone: (all) => (all === 1 ? 'L’enregistrement est terminé.' : `Les ${all} sont terminés.`),
    waiting: 'En attente',
    making: 'Création du MP3',
    uploading: 'Envoi en cours',
    starting: 'Démarrage',
    queued: 'En attente sur le serveur',
    running: 'Sous-titrage en cours',
    completed: 'Terminé',
    silent: 'Aucune parole',
    blocked: 'Non autorisé',
    failed: 'Échec',
    cancelled: 'Annulé',
    review: (name) => `Relire ${name}`,
    reviewShort: 'Relire',
    look: (name) => `Voir pourquoi ${name} n’a pas de sous-titres`,
    lookShort: 'Pourquoi ?',
    cancel: (name) => `Annuler ${name}`,
    cancelShort: 'Annuler',
    again: (name) => `Réessayer : ${name}`,
    againShort: 'Réessayer',
    stay: 'Gardez cette page ouverte jusqu’à ce que tout soit envoyé. Ensuite, les tâches continuent sans elle et figurent dans la bibliothèque.',
    more: 'Ajouter des enregistrements',
    another: 'Ouvrir d’autres fichiers',
    captionsTitle: 'Fichiers de sous-titres',
    read: (read, all) => `${read} sur ${files(all)} : lus`,
    allRead: (all) => counts(all, { one: '# fichier lu.', other: '# fichiers lus.' }),
    found: (found, warned) => `${captions(found)}, ${warnings(warned)}`,
    format: 'Format',
    convert: 'Tout télécharger',
    without: (name) => `Aucune parole n’a été reconnue dans ${name}.`,
    converted: (all) =>
      counts(all, { one: '# fichier téléchargé.', other: '# fichiers téléchargés.' }),
  },
};

interface Figure {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const figure = ({ value, low, high }: Figure): string =>
  `${percent(value, 1)} (${percent(low, 1)} à ${percent(high, 1)})`;

const rules: Readonly<Record<string, string>> = {
  line_length: 'Longueur des lignes',
  line_count: 'Nombre de lignes',
  reading_speed: 'Vitesse de lecture',
  min_duration: 'Durée minimale',
  max_duration: 'Durée maximale',
  gap: 'Intervalle entre sous-titres',
  small_gap: 'Petits intervalles',
  on_frames: 'Images',
  shot_in: 'Début près d’un changement de plan',
  shot_out: 'Fin près d’un changement de plan',
  two_speakers: 'Deux locuteurs',
};

const whyNot: Readonly<Record<string, string>> = {
  line_length: 'un mot, ou ce que dit l’un des deux locuteurs, dépasse une ligne',
  line_count: 'les lignes ne peuvent pas être réparties entre les locuteurs',
  two_speakers: 'ses locuteurs n’ont pas chacun leurs propres lignes',
  max_duration: 'il n’y a aucun endroit où le diviser',
  gap: 'le chevauchement peut contenir de la parole ; réglez les temps à l’oreille',
  line_break: 'aucune autre coupure de ses lignes n’est meilleure',
};

const translationStates: Readonly<Record<string, string>> = {
  queued: 'En attente de son tour',
  running: 'Traduction en cours',
  completed: 'Traduit',
  incomplete: 'Pas entièrement traduit',
  failed: 'Non traduit',
  cancelled: 'Annulée',
};

interface Gets {
  readonly hears: boolean;
  readonly sees: boolean;
}

const mail = (asks: string, url: string, until: string, { hears, sees }: Gets): string =>
  [
    'Bonjour,',
    '',
    asks,
    sees
      ? 'La page lit l’enregistrement avec son image.'
      : hears
        ? 'La page lit l’enregistrement.'
        : 'La page n’a pas de son.',
    '',
    url,
    '',
    `Vous n’avez besoin d’aucun compte. Le lien est valable jusqu’au ${until}.`,
  ].join('\n');

const shortened = (name: string): string => (name.length > 40 ? `${name.slice(0, 39)}…` : name);

const ended = (parts: readonly ('sound' | 'video')[]): string =>
  list(parts.map((part) => (part === 'sound' ? 'le son' : 'la vidéo')));

/** Everything else. */
export const others: OtherTexts = {
  signIn: {
    title: 'Se connecter',
    expired: 'Votre clé n’est plus valable. Reconnectez-vous ; rien n’est perdu.',
    why: 'Nous vous enverrons un code par e-mail. Il n’y a pas de mot de passe.',
    kept: 'Votre fichier reste sélectionné.',
    email: 'Adresse e-mail',
    send: 'Envoyer le code',
    sending: 'Envoi…',
    code: 'Code reçu par e-mail',
    codeSent: (email) =>
      `Un code à six chiffres a été envoyé à ${email}. Il est valable dix minutes.`,
    codeWritten:
      'Aucun serveur de messagerie n’est configuré. L’e-mail est le fichier le plus récent du dossier « outbox » dans le dossier de données du service.',
    digit: (at) => `Chiffre ${at} sur 6`,
    checking: 'Vérification…',
    keep: 'Rester connecté tant que Captioner est ouvert',
    keepHint:
      'Dans tous ses onglets, et quand vous en rechargez un. Fermer le dernier vous déconnecte.',
    again: 'Utiliser une autre adresse, ou envoyer un nouveau code',
    problems: {
      invalid_email: 'Ce n’est pas une adresse e-mail. Vérifiez-la et recommencez.',
      invalid_otp: 'Code incorrect. Regardez l’e-mail le plus récent et réessayez.',
      too_many_attempts: 'Trop de codes incorrects. Demandez-en un nouveau.',
      claim_expired: 'Ce code a expiré. Demandez-en un nouveau.',
      rate_limited: 'Trop de codes ont été demandés. Attendez un moment, puis réessayez.',
      no_answer: 'Pas de connexion au serveur. Réessayez.',
    },
    tooMany: (wait, at) =>
      `Trop de codes ont été demandés. Le prochain peut être envoyé dans ${duration(Math.max(60, Math.ceil(wait / 60) * 60)).replace(':00', '')}, à ${at}.`,
    problem: (message) => `La connexion a échoué. ${message}`,
  },
  paste: {
    file: 'Choisir des diapositives, un programme ou une liste d’intervenants…',
    reading: (names) => `Lecture de ${names}…`,
    unreadable: 'Ce fichier est illisible.',
    notSearched: 'La recherche dans le texte a échoué. Réessayez.',
    groups: { person_name: 'Personnes', company_name: 'Entreprises', product_name: 'Produits' },
    others: 'Autres noms et termes',
    takeNone: 'Tout décocher',
    text: 'Ou coller un texte : diapositives, résumé, liste d’intervenants, page web',
    textHint: 'Les fichiers et le texte sont lus dans ce navigateur et ne sont envoyés nulle part.',
    find: 'Trouver les noms et les termes',
    none: 'Aucun nom ni terme n’a été trouvé.',
    found: (found) =>
      counts(found, {
        one: '# nom ou terme trouvé. Cochez ce qui est prononcé.',
        other: '# noms et termes trouvés. Cochez ceux qui sont prononcés.',
      }),
    cut: (characters) => `Seuls les ${number(characters)} premiers caractères ont été lus.`,
    takeAll: 'Tout cocher',
    times: (times) => `${times} ×`,
  },
  preview: {
    title: 'Aperçu',
    summary: (cues, longest, lines) =>
      `${captions(cues)} pour cette demi-minute ; ligne la plus longue : ${longest} caractères ; au plus ${counts(lines, { one: '# ligne', other: '# lignes' })}.`,
    sample:
      'Hier soir, l’équipe a montré comment un agent se connecte pour la première fois. Il lit une page, demande un code à la personne, et dès lors il a sa propre clé, sans plus de droits qu’il ne lui en faut. Personne n’a eu à copier un secret d’une fenêtre à l’autre, et personne n’a eu à attendre.',
  },
  pastRuns: {
    title: 'Bibliothèque',
    none: 'Aucune tâche pour l’instant. Commencez par un enregistrement.',
    signIn: 'Connectez-vous pour voir les tâches de votre espace de travail.',
    here: 'Conservé dans ce navigateur',
    onService: 'Sur le serveur',
    more: 'Plus',
    files: {
      title: 'État et exactitude de toutes les conférences',
      about:
        'Pour qui répond de l’accessibilité : ce qui est sous-titré, relu, approuvé et mesuré, le pire en premier.',
      table: 'Tableau (CSV)',
      statement: 'Déclaration de conformité à remplir',
    },
    search: 'Rechercher dans les noms et les sous-titres',
    notFound: (wanted) => `Aucune tâche ne s’appelle « ${wanted} ».`,
    noneSuch: 'Aucune tâche de ce genre.',
    filters: {
      state: 'État',
      work: 'Travail',
      language: 'Langue',
      person: 'Attribuée à',
      order: 'Ordre',
    },
    options: {
      state: {
        '': 'Tous les états',
        completed: 'Terminées',
        active: 'En attente ou en cours',
        ended: 'Échouées, bloquées ou annulées',
        silent: 'Sans parole',
      },
      work: {
        '': 'Relues ou non',
        open: 'Avec des endroits à vérifier',
        unreviewed: 'Non relues',
        reviewed: 'Relues',
        in_review: 'En relecture',
        approved: 'Approuvées',
        changed: 'Modifiées depuis l’approbation',
      },
      order: {
        newest: 'Les plus récentes d’abord',
        oldest: 'Les plus anciennes d’abord',
        name: 'Par nom',
        longest: 'Les plus longues d’abord',
        doubts: 'Le plus à vérifier d’abord',
        due: 'Les échéances proches d’abord',
      },
    },
    allLanguages: 'Toutes les langues',
    anybody: 'Attribuées ou non',
    nobody: 'Attribuées à personne',
    person: (who) => `Attribuées à ${who}`,
    assignSelected: 'Attribuer…',
    assignTitle: (runs) => `Attribuer ${jobs(runs)}`,
    assign: 'Attribuer',
    assigning: (at, all) => `Attribution de ${at} sur ${all}…`,
    select: (name) => `Sélectionner ${name}`,
    selectAll: (runs) => `Tout sélectionner (${number(runs)})`,
    selected: (runs) =>
      counts(runs, { one: '# tâche sélectionnée', other: '# tâches sélectionnées' }),
    downloadSelected: 'Télécharger en ZIP',
    downloading: (at, all) => `Téléchargement de ${at} sur ${all}…`,
    nothingSelected: 'Aucune de ces tâches n’a de sous-titres.',
    eraseSelected: 'Supprimer…',
    erasing: (at, all) => `Suppression de ${at} sur ${all}…`,
    eraseManyTitle: (runs) => `Supprimer ${jobs(runs)} ?`,
    eraseMany:
      'Leurs sous-titres, transcriptions, rapports et relectures sont supprimés, sur le serveur et dans ce navigateur. C’est irréversible.',
    andMore: (runs) => `Et ${number(runs)} de plus.`,
    said: 'Dans les sous-titres',
    notSaid: (wanted) => `Aucun sous-titre ne contient « ${wanted} ».`,
    reviewed: 'Relue',
    doubts: (open) => `${places(open)} à vérifier`,
    download: (name) => `Télécharger les sous-titres de ${name} en SRT`,
    nothing: (name) => `${name} n’a pas de sous-titres.`,
    rename: (name) => `Renommer ${name}`,
    renameTitle: 'Renommer',
    newName: 'Nom',
    renameHint: 'Tout votre espace de travail voit ce nom.',
    save: 'Enregistrer',
    states: {
      queued: 'En attente',
      running: 'En cours',
      completed: 'Terminée',
      silent: 'Sans parole',
      blocked: 'Bloquée',
      failed: 'Échec',
      cancelled: 'Annulée',
    },
    forget: (name) => `Supprimer ${name} de ce navigateur`,
    erase: {
      button: (name) => `Supprimer ${name}`,
      title: 'Supprimer cette tâche ?',
      ask: (name) =>
        `Les sous-titres de ${name}, sa transcription, son rapport et sa relecture sont supprimés, sur le serveur et dans ce navigateur. C’est irréversible.`,
      hint: 'Elle est supprimée pour tout votre espace de travail. Les termes qui en ont été appris sont conservés.',
      confirm: 'Supprimer',
    },
  },
  termsText: {
    title: 'Termes de votre espace de travail',
    intro: 'Chaque nouvelle tâche de votre espace de travail reconnaît ces noms et ces termes.',
    signIn: 'Connectez-vous pour voir les termes de votre espace de travail.',
    none: 'Aucun terme pour l’instant. Ajoutez-en un, importez une liste, ou laissez vos relectures les ajouter.',
    find: 'Chercher un terme',
    noneFound: 'Aucun terme correspondant.',
    add: 'Ajouter un terme',
    edit: (term) => `Modifier ${term}`,
    remove: (term) => `Supprimer ${term}`,
    editing: (term) => `Modifier « ${term} »`,
    canonical: 'Terme',
    canonicalHint: 'Tel que les sous-titres doivent l’afficher.',
    mishears: 'Mal entendu comme',
    mishearsHint: 'Comment il est mal entendu, séparé par des virgules : skim, s c i m',
    say: 'Prononcé',
    sayHint: 'Comment il se prononce, si cela diffère de l’orthographe : skim',
    note: 'Remarque',
    more: 'Plus sur ce terme',
    kind: 'Genre',
    kinds: {
      '': 'Non précisé',
      person_name: 'Personne',
      company_name: 'Entreprise',
      product_name: 'Produit',
      project_name: 'Projet',
      technical_term: 'Terme technique',
      acronym: 'Sigle',
    },
    risky: 'Mots ordinaires parmi ceux-ci',
    riskyHint:
      'Mots mal entendus que l’on dit aussi au sens propre. Ils ne sont corrigés que près de l’un des mots ci-dessous.',
    nearWords: 'Près de ces mots',
    nearWordsHint:
      'Mots qui montrent ce qui est voulu, séparés par des virgules : connexion, compte',
    aliases: 'Également correct',
    aliasesHint: 'Autres formes qui ne sont jamais modifiées, séparées par des virgules.',
    weight:
      'Poids, de 1 à 10 : les termes de plus grand poids sont envoyés en premier à la reconnaissance vocale',
    save: 'Enregistrer le terme',
    cancel: 'Annuler',
    needsTerm: 'Saisissez d’abord le terme.',
    heard: (mishears) => `mal entendu comme ${mishears.join(', ')}`,
    sources: {
      person: 'ajouté à la main',
      import: 'importé',
      learned: 'appris des relectures',
    },
    import: 'Importer une liste ou un pack',
    exportYaml: 'Exporter en YAML',
    exportList: 'Exporter en liste simple',
    count: (now, limit) => `${number(now)} sur ${terms(limit)}`,
    imported: (now) => `L’espace de travail compte maintenant ${terms(now)}.`,
    learnedTitle: 'Appris des relectures',
    switch: 'Apprendre des relectures',
    switchHint:
      'Si ceci est désactivé, rien de nouveau n’est appris et aucune question n’est posée. Les règles en vigueur restent jusqu’à ce que vous les annuliez.',
    nothingLearned:
      'Rien pour l’instant. Vos corrections lors des relectures améliorent les tâches à venir.',
    states: {
      proposed: 'à décider',
      applied: 'en vigueur',
      dismissed: 'écartée',
      withdrawn: 'retirée après un refus',
      undone: 'annulée',
    },
    automatic: 'appliquée automatiquement',
    near: (near) => `Seulement près de : ${near.join(', ')}`,
    never: (surface, canonical) => `Ne jamais changer « ${surface} » en ${canonical}`,
    newTerm: (canonical) => `Nouveau terme : ${canonical}`,
    yes: 'L’apprendre',
    no: 'Non',
    undo: 'Annuler',
    editRule: 'Modifier',
    ruleLabel: (verb, rule) => `${verb} : ${rule}`,
    surface: 'Reconnu',
    meant: 'Voulu',
    nearLabel: 'Seulement près de ces mots',
    nearHint: 'Séparés par des virgules ; laissez vide pour corriger partout.',
    changed: (changed) =>
      counts(changed, { one: '# sous-titre modifié', other: '# sous-titres modifiés' }),
    change: (before, after) => `${before} → ${after}`,
    finish: 'Terminer',
    finishHint:
      'Enregistrer la relecture comme terminée, et en faire profiter les prochaines tâches',
    finishAsk: 'Terminer la relecture ?',
    finishEnds: (parts) =>
      `Terminer supprime immédiatement du serveur ${ended(parts)}. Plus personne dans votre espace de travail, ni aucun invité d’un lien, ne pourra les y lire.`,
    finishKeeps:
      'Les sous-titres, les commentaires et les liens restent, tout comme ce que ce navigateur a de l’enregistrement.',
    finishNow: (parts) => `Terminer, et supprimer ${ended(parts)}`,
    finishNotYet: 'Pas encore',
    finishEnded: (parts) =>
      parts.length > 1
        ? 'Le son et la vidéo sont supprimés du serveur.'
        : parts[0] === 'sound'
          ? 'Le son est supprimé du serveur.'
          : 'La vidéo est supprimée du serveur.',
    finishTitle: 'Relecture terminée',
    openTitle: 'Tout n’est pas vérifié',
    openHint: 'Reste à voir dans cette relecture :',
    openStay: 'Continuer la vérification',
    openFinish: 'Terminer quand même',
    saving: 'Enregistrement…',
    finished:
      'Votre relecture est enregistrée. Les téléchargements depuis le serveur contiennent maintenant les sous-titres relus.',
    notYet:
      'Votre relecture est conservée dans ce navigateur et sera enregistrée dès que le serveur sera joignable.',
    conflict:
      'Quelqu’un d’autre a modifié les mêmes sous-titres : choisissez d’abord entre les versions.',
    questions: (things) =>
      counts(things, { one: '# chose à apprendre', other: '# choses à apprendre' }),
    questionsHint: 'Ce que vous avez corrigé peut être juste dès le début la prochaine fois.',
    noQuestions: 'Les corrections sûres sont apprises sans question ; il n’y en a pas d’autres.',
    all: 'Tous les termes de votre espace de travail',
    refused: (message) => `Le serveur a refusé la demande. ${message}`,
  },
  organisationText: {
    title: 'Organisation',
    role: 'Rôle',
    roles: { reader: 'Lecture', editor: 'Modification', owner: 'Gestion' },
    rolesHint:
      'La lecture permet aussi de commenter ; la modification, de créer et de changer des sous-titres ; la gestion, d’administrer les personnes.',
    yourRole: {
      reader: 'Ici, vous pouvez lire et commenter les sous-titres.',
      editor: 'Ici, vous pouvez créer et modifier les sous-titres.',
      owner: 'Ici, vous pouvez aussi gérer les personnes.',
    },
    people: 'Personnes',
    roleOf: (email) => `Rôle de ${email}`,
    you: 'vous',
    disabled: 'bloquée',
    joined: (at) => `depuis le ${dateTime(at)}`,
    keys: (keys) => `clés : ${number(keys)}`,
    disable: 'Bloquer',
    disablePerson: (email) => `Bloquer ${email}`,
    disableAsk: (email) =>
      `${email} est déconnecté partout dès maintenant et ne peut plus entrer tant que vous ne débloquez pas la personne. Ce qu’elle a fait reste.`,
    enable: 'Débloquer',
    enablePerson: (email) => `Débloquer ${email}`,
    remove: 'Retirer',
    removePerson: (email) => `Retirer ${email}`,
    removeAsk: (email) =>
      `${email} est déconnecté partout dès maintenant. Ce que la personne a fait reste. Qui a une adresse de votre domaine peut revenir : pour l’empêcher, bloquez la personne.`,
    removeErase: 'Supprimer l’adresse partout dans cet espace de travail',
    data: 'Données',
    morePeople: 'Afficher d’autres personnes',
    invite: 'Inviter',
    inviteTitle: 'Inviter une personne',
    email: 'Adresse e-mail',
    invited: (email) => `Une invitation a été envoyée à ${email}. Elle est valable sept jours.`,
    open: 'Invitations en attente',
    openUntil: (role, at) => `${role}, valable jusqu’au ${dateTime(at)}`,
    takeBack: 'Annuler l’invitation',
    takeBackFrom: (email) => `Annuler l’invitation de ${email}`,
    allKeys: 'Clés de toutes les personnes',
    revoke: 'Révoquer',
    revokeKey: (name, email) => `Révoquer ${name} de ${email}`,
    use: 'Utilisation',
    stored: (kind, used, quota) =>
      quota === null
        ? `${kind} : ${megabytes(used)}`
        : `${kind} : ${megabytes(used)} sur ${megabytes(quota)}`,
    recordings: 'Enregistrements',
    results: 'Tâches et sous-titres',
    runs: (runs) => counts(runs, { one: '# tâche', other: '# tâches' }),
    mostOf: (kind) => `${kind} : maximum (Mo)`,
    mostHint: (quota) =>
      quota === null
        ? 'Vide : sans limite.'
        : `Vide : ${megabytes(quota)}, ce que le service permet. Il n’est pas possible d’aller au-delà.`,
    retention: 'Durée de conservation des tâches',
    days: 'Jours après la fin d’une tâche',
    daysHint: (days) =>
      `Vide : ${counts(days, { one: '# jour', other: '# jours' })}, comme le service. Les tâches plus anciennes sont supprimées dans l’heure, avec leurs sous-titres.`,
    mediaDays: 'Jours pour le son et la vidéo',
    mediaDaysHint:
      'Vide : aussi longtemps que la tâche. Ensuite, le son et la vidéo conservés avec elle sont supprimés, ainsi que les enregistrements dont aucune tâche n’a plus besoin ; les sous-titres restent.',
    save: 'Enregistrer',
    saved: 'Enregistré.',
    webhooks: 'Points de rappel (webhooks)',
    noWebhooks: 'Il n’y en a pas. Les programmes les déclarent avec POST /webhooks.',
    webhookDisabled: 'désactivé, car rien n’a été accepté pendant une semaine',
    enableWebhook: (url) => `Activer le webhook ${url}`,
    deleteWebhook: (url) => `Supprimer le webhook ${url}`,
    delete: 'Supprimer',
    done: {
      'DELETE /workspace/keys/{keyId}': 'Clé personnelle révoquée',
      'DELETE /workspace/person': 'Adresse personnelle supprimée',
      'POST /workspace/person/disable': 'Adresse personnelle bloquée',
      'DELETE /audio/{key}': 'Enregistrement supprimé',
      'DELETE /workflows/captioner/{runId}/data': 'Tâche supprimée',
      'DELETE /workflows/captioner/{runId}/review': 'Relecture supprimée',
      'POST /workflows/captioner/{runId}/links': 'Lien vers une relecture créé',
      'PATCH /workflows/captioner/{runId}/links/{linkId}': 'Lien vers une relecture modifié',
      'DELETE /workflows/captioner/{runId}/links/{linkId}': 'Lien vers une relecture révoqué',
      'PUT /terminology/terms': 'Termes enregistrés',
      'DELETE /terminology/terms': 'Termes supprimés',
      'PUT /terminology/learning': 'Apprentissage à partir des relectures activé ou désactivé',
      'PUT /translations/memory.tmx': 'Mémoire de traduction importée',
      'POST /webhooks': 'Point de rappel (webhook) enregistré',
      'DELETE /webhooks/{webhookId}': 'Point de rappel (webhook) supprimé',
      'POST /webhooks/{webhookId}/enable': 'Point de rappel (webhook) réactivé',
      'POST /workspace/addresses': 'Adresse créée pour un programme',
      'DELETE /workspace/addresses/{addressId}': 'Adresse d’un programme supprimée',
      'PATCH /workspace/members/{memberId}': 'Rôle ou état d’une personne modifié',
      'DELETE /workspace/members/{memberId}': 'Personne retirée',
      'GET /workspace/members/{memberId}/data': 'Données d’une personne téléchargées',
      'DELETE /workspace/member-keys/{keyId}': 'Clé d’une personne révoquée',
      'POST /workspace/invitations': 'Personne invitée',
      'DELETE /workspace/invitations/{invitationId}': 'Invitation annulée',
      'PUT /workspace/voices': 'Mémorisation des voix activée ou désactivée',
      'PUT /workspace/retention': 'Durée de conservation des tâches modifiée',
      'PUT /workspace/quotas': 'Quotas modifiés',
      'DELETE /workspace/data': 'Toutes les données de l’espace de travail supprimées',
      'GET /workspace/export': 'Espace de travail exporté',
    },
    record: 'Journal',
    recordHint:
      'Qui a modifié des personnes, des clés, des liens, des webhooks, des termes ou des paramètres, ou supprimé quelque chose.',
    search: 'Rechercher dans le journal',
    nothing: 'Rien n’a été trouvé.',
    older: 'Afficher des entrées plus anciennes',
    haveInvitation: 'J’ai une invitation',
    invitationCode: 'Code de l’invitation',
    accept: 'Accepter',
    invalidInvitation:
      'Cette invitation n’est pas valable : elle a été utilisée ou annulée, ou a expiré. Demandez-en une nouvelle.',
    signInWith: (name) => `Se connecter avec ${name}`,
    signingIn: 'Connexion…',
    tryAgain: 'Réessayer',
    failed: 'La connexion a échoué. Réessayez, ou connectez-vous avec un code par e-mail.',
    notAdmitted: 'Votre compte ne peut pas utiliser ce service. Adressez-vous à son exploitant.',
    notVerified: 'Le fournisseur n’indique pas d’adresse e-mail vérifiée pour votre compte.',
  },
  settingsText: {
    forgetPerson: (name) => `Oublier la voix de ${name}`,
    forget: 'Oublier',
    heardIn: (runs) => `nommée dans ${jobs(runs)}`,
    nobody: 'Aucune voix n’a encore de nom.',
    rememberOff: 'Si vous désactivez ceci, toutes les voix sont oubliées aussitôt.',
    rememberHint:
      'Quand vous nommez un locuteur, le nom est proposé dans la prochaine conférence où parle la même voix. Sont conservés 192 nombres par voix, qui sont des données biométriques, et jamais le son : aussi longtemps que la tâche, ou jusqu’à ce que vous oubliiez la personne. Uniquement avec l’accord de ceux qui parlent.',
    remember: 'Retenir à qui est une voix',
    voices: 'Voix',
    title: 'Paramètres',
    signIn: 'Connectez-vous pour voir votre compte, ses clés et ses données.',
    account: 'Compte',
    workspaces: {
      personal: 'Un espace de travail à vous.',
      team: 'Un espace de travail que vous partagez avec toutes les personnes de votre domaine qui se sont connectées.',
      unknown: 'Un espace de travail géré par votre exploitant.',
    },
    keep: 'Rester connecté tant que Captioner est ouvert',
    keepHint:
      'Dans tous ses onglets, et quand vous en rechargez un. Sans cela, un rechargement vous déconnecte ; fermer le dernier onglet le fait toujours.',
    keys: 'Clés',
    keysHint:
      'Quiconque a une clé peut utiliser Captioner en votre nom. Chaque connexion en ajoute une. Révoquez celles qui ne servent plus.',
    keysElsewhere:
      'Quiconque a une clé peut utiliser Captioner en votre nom. Pour en révoquer une, adressez-vous à l’exploitant de ce service.',
    noKeys: 'Les clés de ce compte sont gérées là où elles ont été créées.',
    more: (shown, total) =>
      counts(total, {
        one: `Voici les ${shown} plus récentes sur # clé.`,
        other: `Voici les ${shown} plus récentes sur # clés.`,
      }),
    made: (at) => `Créée le ${dateTime(at)}`,
    used: (at) => `dernière utilisation : ${dateTime(at)}`,
    current: 'ce navigateur',
    scopes: {
      'captioner:audio:upload': 'Envoyer des enregistrements',
      'captioner:caption:run': 'Créer, lire, corriger et supprimer des sous-titres',
      'captioner:terminology:read': 'Lire les termes',
    },
    revoke: 'Révoquer',
    revokeKey: (name) => `Révoquer ${name}`,
    revokeAsk: (name) =>
      `Les programmes qui utilisent ${name} seront alors refusés. C’est irréversible.`,
    revokeCurrent: 'C’est la clé de ce navigateur : vous serez déconnecté.',
    create: 'Créer une clé',
    createHint: 'Pour un programme. Nous vous enverrons un code par e-mail, comme à la connexion.',
    may: 'La clé permet de',
    needsScope: 'Cochez au moins une case.',
    send: 'Envoyer le code',
    created: 'Votre nouvelle clé',
    createdHint: 'Copiez-la maintenant : elle n’est affichée qu’une fois.',
    copy: 'Copier',
    copied: 'Copié.',
    done: 'Terminé',
    data: 'Vos données',
    export: 'Tout exporter',
    exportHint:
      'Une archive (.tar.gz) avec toutes les tâches, résultats, relectures, termes, enregistrements encore conservés et webhooks.',
    exporting: 'Exportation en cours. Les grands espaces de travail prennent un moment.',
    exported: 'L’archive est enregistrée.',
    erase: 'Tout supprimer',
    eraseHint:
      'Tout cela, sur le serveur. Les clés restent valables. Exportez-le d’abord si vous risquez d’en avoir besoin.',
    eraseAsk:
      'Toutes les tâches, sous-titres, relectures, enregistrements, termes, règles et webhooks de votre espace de travail sont supprimés. C’est irréversible.',
    eraseTeam: 'Ceux de vos collègues aussi : l’espace de travail est également le leur.',
    eraseWord: 'supprimer',
    eraseType: (word) => `Saisissez « ${word} » pour confirmer`,
    eraseNot: 'Rien n’a été supprimé : le mot n’a pas été saisi.',
    erased: (runs, sounds, webhooks) =>
      `Supprimés : ${list([jobs(runs), recordings(sounds), counts(webhooks, { one: '# webhook', other: '# webhooks' }), 'les termes'])}.`,
    eraseHere: 'Supprimer les copies dans ce navigateur',
    look: 'Apparence',
    language: 'Langue de l’application',
    languageOfBrowser: 'Celle que demande le navigateur',
    theme: 'Couleurs',
    themes: { system: 'Comme le système', light: 'Claires', dark: 'Sombres' },
    keyboard: 'Clavier',
    keyboardHint: 'Chaque commande de la relecture a une touche, que vous pouvez changer.',
    shortcuts: 'Voir et changer les raccourcis',
  },
  transportKeys: {
    play: 'Lecture ou pause',
    back5: 'Reculer de 5 secondes',
    back1: 'Reculer de 1 seconde',
    on1: 'Avancer de 1 seconde',
    on5: 'Avancer de 5 secondes',
    replay: 'Lire ce sous-titre',
    loop: 'Lire ce sous-titre en boucle, oui ou non',
    patient: 'Mettre en pause pendant que j’écris, oui ou non',
  },
  review: {
    title: (name) => name.replace(/\.\w{1,5}$/, ''),
    loading: 'Chargement des sous-titres…',
    noneYet: 'Aucun sous-titre pour l’instant.',
    firstCaption: 'Écrire ici le premier sous-titre',
    restored: (changes) =>
      counts(changes, {
        one: '# modification de votre part a été rétablie.',
        other: '# modifications de votre part ont été rétablies.',
      }),
    overlaps: (overlapping) =>
      counts(overlapping, {
        one: '# sous-titre chevauche le suivant. Les temps sont ceux du fichier ; voir Alertes.',
        other:
          '# sous-titres chevauchent le suivant. Les temps sont ceux du fichier ; voir Alertes.',
      }),
    dropped:
      'Certaines modifications antérieures ne s’appliquent plus et ont été laissées de côté.',
    player: 'Enregistrement',
    play: 'Lire',
    pause: 'Mettre en pause',
    rate: 'Vitesse',
    seek: 'Position',
    mute: 'Couper le son',
    unmute: 'Rétablir le son',
    fullScreen: 'Plein écran',
    openMedia: 'Ouvrir l’enregistrement',
    openVideo: 'Ouvrir la vidéo',
    opened: (name) => `${name} est ouvert.`,
    noMedia: 'Ouvrez l’enregistrement pour l’entendre ici. Il reste sur cet ordinateur.',
    notHere: (name) =>
      `Cette tâche n’a plus de son : il a été supprimé après la transcription, ou à la fin de la relecture. Ouvrez « ${shortened(name)} » pour l’entendre ici.`,
    signInToHear: (name) =>
      `Connectez-vous pour entendre le son de cette tâche, ou ouvrez « ${shortened(name)} ».`,
    notSent: (name) =>
      `Pas de son : l’enregistrement n’a pas été envoyé avec ce lien. Ouvrez « ${shortened(name)} » si vous l’avez, ou demandez-le à la personne qui a envoyé le lien.`,
    arriving: (fraction) => `Chargement de l’enregistrement : ${percent(fraction)}`,
    mediaFails:
      'Ce navigateur ne peut pas lire ce fichier. Ouvrez-le dans un autre format, par exemple MP3.',
    waveform:
      'Ligne de temps : cliquez pour y aller, faites glisser les sous-titres et leurs bords pour changer les temps',
    waveformLoading: 'Lecture du son…',
    waveformNone: 'Pas de forme d’onde : le son de ce fichier ne peut pas être lu ici.',
    splitters: {
      columns: 'Largeur de l’enregistrement et des sous-titres. Entrée pour l’habituelle.',
      picture: 'Hauteur de l’image. Entrée pour l’habituelle.',
      timeLine: 'Hauteur de la ligne de temps. Entrée pour l’habituelle.',
    },
    zoomIn: 'Agrandir',
    zoomOut: 'Réduire',
    cues: 'Sous-titres',
    cue: (at) => `Sous-titre ${at}`,
    goTo: (at) => `Sous-titre ${at} : lire à partir d’ici`,
    cueText: (at) => `Texte du sous-titre ${at}`,
    cueStart: (at) => `Début du sous-titre ${at}`,
    cueEnd: (at) => `Fin du sous-titre ${at}`,
    start: 'Début',
    both: 'Les deux',
    end: 'Fin',
    earlier: '0,1 s plus tôt',
    later: '0,1 s plus tard',
    startEarlier: 'Début 0,1 s plus tôt',
    startLater: 'Début 0,1 s plus tard',
    endEarlier: 'Fin 0,1 s plus tôt',
    endLater: 'Fin 0,1 s plus tard',
    startHere: 'Début à la tête de lecture',
    endHere: 'Fin à la tête de lecture',
    badTime: 'Saisissez un temps comme 12,5, 0:13 ou 00:01:02,500.',
    badTimeCode: (from) =>
      `Saisissez un temps comme 12,5 ou 0:13, ou un code temporel à partir de ${from}.`,
    speed: (cps) => `${Math.round(cps)} car./s`,
    lengths: (lengths) => lengths.join(' · '),
    flags: {
      duration_below_minimum: 'trop court',
      duration_above_maximum: 'trop long',
      line_count_above_maximum: 'trop de lignes',
      line_length_above_maximum: 'ligne trop longue',
      reading_speed_high: 'trop rapide à lire',
      dangling_line_break: 'coupure maladroite',
      overlaps_next: 'chevauche le suivant',
    },
    fix: 'Corriger',
    noFix: 'Corrigez ce sous-titre vous-même.',
    split: 'Diviser',
    merge: 'Fusionner',
    insert: 'Insérer',
    delete: 'Supprimer',
    shift: 'Décaler',
    wordBack: 'Mot vers le sous-titre précédent',
    wordOn: 'Mot vers le sous-titre suivant',
    closeGap: 'Fermer l’intervalle avec le sous-titre suivant',
    lines: 'Recouper les lignes',
    more: 'Plus',
    undo: 'Annuler',
    redo: 'Rétablir',
    find: 'Rechercher',
    compare: 'Comparer',
    transcript: 'Transcription',
    translate: 'Traduire…',
    keys: 'Raccourcis',
    download: 'Télécharger le SRT',
    downloadAs: 'Télécharger dans un autre format',
    downloadIn: (format) =>
      format === 'csv'
        ? 'Télécharger le rapport en CSV'
        : format === 'html'
          ? 'Télécharger le rapport à imprimer'
          : `Télécharger en ${format.toUpperCase()}`,
    karaoke: (format) => `Télécharger ${format} en karaoké`,
    notLoaded:
      'Cette partie n’a pas pu être chargée. Réessayez quand vous serez de nouveau en ligne.',
    copySrt: 'Copier le SRT',
    share: 'Demander des commentaires…',
    burn: 'Vidéo avec sous-titres…',
    addVideo: 'Ajouter une petite vidéo à la tâche…',
    copied: 'SRT copié dans le presse-papiers.',
    notCopied: 'Le navigateur n’a pas autorisé la copie. Téléchargez plutôt le fichier.',
    downloaded: (name) => `${name} est téléchargé.`,
    did: {
      text: 'Texte modifié',
      times: 'Temps modifiés',
      split: 'Divisé',
      merge: 'Fusionné',
      insert: 'Inséré',
      delete: 'Supprimé',
      shift: 'Décalé',
      word: 'Mot déplacé',
      lines: 'Lignes recoupées',
      italics: 'Italique modifié',
      fix: 'Corrigé',
      replace: 'Remplacé',
      sure: 'Marqué comme juste',
      nothing: 'Marqué : il ne manque rien',
      speaker: 'Locuteur changé',
      speakerName: 'Locuteur renommé',
      place: 'Position changée',
      rebuild: 'Sous-titres reconstruits',
      script: 'Script aligné',
      accept: 'Accepté',
      reject: 'Refusé',
      pack: 'Pack de nouveau utilisé',
      noPack: 'Pack non utilisé',
      colleague: 'Modifications d’une autre personne',
      version: 'Version antérieure rétablie',
      sound: 'Son décrit',
    },
    undone: (what) => `Annulé : « ${what} ».`,
    redone: (what) => `Rétabli : « ${what} ».`,
    cannot: 'Ce n’est pas possible ici.',
    moveLimits: {
      previous: (before, limit) =>
        `Le sous-titre ${before} deviendrait trop court. Début au plus tôt : ${limit}.`,
      next: (after, limit) =>
        `Le sous-titre ${after} deviendrait trop court. Fin au plus tard : ${limit}.`,
      moved: (neighbour, limit) =>
        limit === 0
          ? `Le sous-titre ${neighbour} est déjà aussi court que possible.`
          : `Le sous-titre ${neighbour} deviendrait trop court. La limite est ici de ${signed(limit)} s.`,
      own: 'Un sous-titre doit finir après son début.',
      stays: (neighbour) => `Le sous-titre ${neighbour} commence ou finit là et ne bouge pas.`,
      many: (limit) =>
        limit === 0
          ? 'Des sous-titres non sélectionnés font obstacle.'
          : `Des sous-titres non sélectionnés font obstacle : la limite est de ${signed(limit)} s.`,
      clock:
        'Un sous-titre commence au plus tôt à 00:00:00,000 et finit au plus tard à 99:59:59,999.',
    },
    noRoom:
      'Il n’y a pas de place : les sous-titres des deux côtés sont déjà aussi courts que possible.',
    elsewhere:
      'Cette relecture est en cours de modification dans un autre onglet. Choisissez d’abord « Modifier ici ».',
    readOnly: 'Vous pouvez lire cette relecture, mais pas la modifier.',
    current: (at) => `Sous-titre ${at}`,
    tabs: {
      label: 'Panneau latéral',
      comments: (open) => (open === 0 ? 'Commentaires' : `Commentaires (${open})`),
      speakers: 'Locuteurs',
      terms: (found) => `Termes (${found})`,
      warnings: (found) => `Alertes (${found})`,
      doubts: (found) => `Doutes (${found})`,
      report: (score) => (score === null ? 'Format' : `Format ${percent(score)}`),
    },
    termGone: 'Ces mots ne sont plus dans les sous-titres. Corrigez ce sous-titre vous-même.',
    warning: {
      duration_below_minimum: (is, limit) =>
        `Affiché ${number(apart(is, limit))} s ; le minimum est de ${number(limit)} s.`,
      duration_above_maximum: (is, limit) =>
        `Affiché ${number(apart(is, limit))} s ; le maximum est de ${number(limit)} s.`,
      line_count_above_maximum: (is, limit) =>
        counts(is, {
          one: `A # ligne ; le maximum est de ${limit}.`,
          other: `A # lignes ; le maximum est de ${limit}.`,
        }),
      line_length_above_maximum: (is, limit) =>
        `Une ligne de ${is} caractères ; le maximum est de ${limit}.`,
      reading_speed_high: (is, limit) =>
        `Se lit à ${number(apart(is, limit, 0))} caractères par seconde ; ${number(limit)} sont confortables.`,
      dangling_line_break: () =>
        'Une ligne finit par un petit mot qui appartient à la ligne suivante.',
      overlaps_next: (is) => `Chevauche le sous-titre suivant de ${number(apart(is, 0))} s.`,
    },
    replaced: (times) => `Remplacé ${number(times)} fois.`,
    leftTerms: terms,
    leftDoubts: (left) => counts(left, { one: '# doute', other: '# doutes' }),
    leftWarnings: (left) =>
      counts(left, { one: '# alerte de format', other: '# alertes de format' }),
    done: 'Terminé : il ne reste rien à vérifier.',
    tools: 'Outils',
    toolGroups: { edit: 'Sous-titres', time: 'Temps', history: 'Historique', find: 'Rechercher' },
    grid: 'Grille dense',
    retime: 'Changer tous les temps…',
    frames: 'Images et code temporel…',
    transport: 'Lecture',
    timeButtons: 'Temps des sous-titres',
    selected: (selected) =>
      counts(selected, { one: '# sous-titre sélectionné', other: '# sous-titres sélectionnés' }),
    findingShots: 'Recherche des changements de plan…',
    foundShots: (shots) =>
      counts(shots, {
        one: '# changement de plan trouvé.',
        other: '# changements de plan trouvés.',
      }),
    noShots: 'Ouvrez d’abord la vidéo : les changements de plan sont détectés dans l’image.',
    shotsSoFar: (fraction) => `Recherche des changements de plan : ${done(fraction)}`,
    rateNow: (rate) => `Lecture à vitesse ${number(rate)}×.`,
    loopOn: 'Ce sous-titre est lu en boucle.',
    loopOff: 'La boucle est arrêtée.',
    unheardHere: (length) =>
      `Son sans sous-titres pendant ${seconds(length)}. Écoutez-le : de la parole manque peut-être.`,
    unheard: 'Sans sous-titres',
    noneLeft: 'Il ne reste rien de ce genre à vérifier.',
    wrapped: (isOn) =>
      isOn
        ? 'Retour au premier : il n’y en a plus après celui-là.'
        : 'Au dernier : il n’y en a pas avant celui-là.',
    nothingToDecide: 'Il n’y a ici ni terme à décider ni mot incertain.',
    notTogether: 'Seuls des sous-titres voisins peuvent être fusionnés.',
    noneToFix: 'Rien ne peut être corrigé automatiquement ici.',
    fixedMany: (fixed) =>
      counts(fixed, { one: '# sous-titre corrigé.', other: '# sous-titres corrigés.' }),
    deletedMany: (deleted) =>
      counts(deleted, { one: '# sous-titre supprimé.', other: '# sous-titres supprimés.' }),
    in: 'Entrée',
    out: 'Sortie',
    inHere: 'Entrée : début à la tête de lecture',
    outHere: 'Sortie : fin à la tête de lecture',
    sooner: 'Plus tôt',
    laterShort: 'Plus tard',
    timing: 'Calage',
    modes: {
      push: 'Les voisins font de la place',
      roll: 'Raccord : les deux côtés d’une coupe bougent ensemble',
      ripple: 'Propagation : tous les sous-titres suivants bougent aussi',
      free: 'Libre : aucun autre sous-titre ne bouge',
    },
    timingOptions: {
      seekSelects: 'Sélectionner le sous-titre sous la tête de lecture lors d’un déplacement',
      snapSpeech: 'Aligner sur la parole',
      snapShots: 'Aligner sur les changements de plan',
      snapFrames: 'Aligner sur les images',
      snapNeighbours: 'Aligner sur les voisins pendant le glissement',
    },
    italics: 'Italique',
    selectAll: 'Sélectionner tous les sous-titres',
    unnamedSpeaker: (at) => `Locuteur ${at}`,
    noSuchSpeaker: (at) =>
      `Il n’y a pas encore de locuteur ${at}. Ajoutez-en un sous « Locuteurs ».`,
    rebuild: 'Reconstruire les sous-titres…',
    script: 'Aligner un script…',
    commands: 'Commandes',
    work: 'Versions et approbation…',
    cueSelected: (at) => `Sous-titre ${at}, sélectionné`,
    goToHint: (at) =>
      keyNames(
        `Sous-titre ${at} : lire à partir d’ici. Maintenez Shift ou Ctrl pour sélectionner des sous-titres.`,
      ),
  },
  compare: {
    compareTitle: 'Comparé à l’original',
    compareNone: 'Aucune modification.',
    compareCount: (changed) =>
      counts(changed, { one: 'Modifié à # endroit.', other: 'Modifié à # endroits.' }),
    compareTimes: 'temps modifiés',
    compareItalics: 'italique modifié',
  },
  overviewText: {
    label:
      'Toute la conférence. Traits, de haut en bas : termes à décider, mots incertains, alertes.',
  },
  transcriptText: {
    label: 'Transcription',
    paragraph: (time) => `Paragraphe à ${time}`,
    playFrom: (time) => `Lire à partir de ${time}`,
    tools: 'Mots sélectionnés',
    hint: 'Appuyez sur un mot pour lire à partir de là. Sélectionnez des mots pour en faire un terme, ou un sous-titre à part.',
    term: 'En faire un terme',
    caption: 'En faire un sous-titre',
    speaker: 'Dit par…',
    made: (term) => `« ${term} » a été ajouté aux termes de votre espace de travail.`,
  },
  shift: {
    badShift: 'Saisissez des secondes comme 0,5 ou -0,5.',
    shiftAsk: 'Décaler ce sous-titre et tous les suivants de (secondes)',
    shiftSelected: (selected) => `Décaler les ${selected} sous-titres sélectionnés de (secondes)`,
    shiftDo: 'Décaler',
  },
  droppedText: {
    notMedia: (name) => `${name} n’est ni un enregistrement ni un fichier de sous-titres.`,
  },
  find: {
    findLabel: 'Rechercher',
    replaceLabel: 'Remplacer par',
    replace: 'Remplacer',
    replaceAll: 'Tout remplacer',
    remember: 'Tout remplacer et retenir',
    remembered: (mishear, term) =>
      `« ${mishear} » → « ${term} » a été ajouté aux termes de votre espace de travail.`,
    rememberHint: keyNames(
      'Ajoute aussi le remplacement aux termes de votre espace de travail, pour les conférences à venir (Ctrl+Alt+Shift+Enter)',
    ),
    regex: 'Expression régulière',
    wrongExpression: 'Expression non valable',
    tried: { trying: 'Recherche…', slow: 'Cette expression prend trop de temps.' },
    matchCase: 'Respecter la casse',
    wholeWord: 'Mots entiers',
    matches: (at, all) => (all === 0 ? 'Introuvable' : `${at} sur ${all}`),
  },
  speakersText: {
    refuse: (name) => `Pas ${name}`,
    confirm: (name) => `Oui, ${name}`,
    play: (speaker) => `Lire ${speaker}`,
    proposal: (speaker, name, turns) =>
      `${speaker} : ${name} ? D’après la voix, dans ${counts(turns, { one: '# prise de parole', other: '# prises de parole' })}.`,
    proposals: 'Qui cela peut-il être ?',
    saysMore: (more) =>
      counts(more, { one: 'et encore # sous-titre', other: 'et encore # sous-titres' }),
    splitHere: (name) => `À partir du sous-titre actuel, ${name} est quelqu’un d’autre`,
    says: (name) => `Tout ce que dit ${name}`,
    same: (name) => `${name} est la même personne que`,
    turnTarget: (from, to) => `sous-titres ${from} à ${to}`,
    turn: 'Toute la prise de parole, d’un changement de locuteur au suivant',
    hint: 'Les fichiers VTT, ASS, TTML et texte nomment les locuteurs.',
    none: 'Aucun locuteur pour l’instant. Ajoutez celui du sous-titre actuel ou des sous-titres sélectionnés.',
    name: (name) => `Nom de ${name}`,
    captions,
    give: (target) => `Parle dans : ${target}`,
    giveLabel: (name, target) => `${name} parle dans : ${target}`,
    current: (at) => `sous-titre ${at}`,
    selected: (selected) =>
      counts(selected, { one: 'le # sélectionné', other: 'les # sélectionnés' }),
    add: 'Autre locuteur',
    addDo: 'Ajouter',
    nobody: 'Personne',
    lines: (at) => `Ligne par ligne, sous-titre ${at}`,
    line: (at) => `Ligne ${at}`,
    place: 'Place dans l’image',
    height: 'Hauteur',
    bottom: 'En bas',
    middle: 'Au milieu',
    top: 'En haut',
    side: 'Côté',
    left: 'À gauche',
    centre: 'Au centre',
    right: 'À droite',
  },
  phone: {
    editCaption: (at) => `Sous-titre ${at} : modifier le texte`,
    parts: { captions: 'Sous-titres', check: 'Vérifier', sound: 'Son', tools: 'Outils' },
    phoneBar: 'Parties de la relecture',
    ready: 'Terminé',
  },
  panels: {
    termsNone: 'Aucun terme n’a été corrigé, et aucun n’est à vérifier.',
    termsHint: 'Entendu → voulu. Chacun est demandé une fois pour toute la conférence.',
    accept: 'Accepter',
    reject: 'Refuser',
    acceptLabel: (before, after, time) => `Accepter : ${before} devient ${after}, à ${time}`,
    rejectLabel: (before, after, time) => `Refuser : ${before} reste, pas ${after}, à ${time}`,
    acceptAll: (times) => `Accepter les ${times}`,
    acceptAllLabel: (heard, meant, times) => `Accepter les ${times} : ${heard} devient ${meant}`,
    acceptEach: (times) => `Les ${times}`,
    never: 'Jamais',
    neverLabel: (heard, meant) => `Jamais : ${heard} reste partout, pas ${meant}`,
    neverHint: (heard) =>
      `Laisser « ${heard} » partout ; les conférences suivantes l’apprennent quand la relecture est terminée`,
    packUsed: (title, heard, resting) =>
      `Le pack de termes ${title} a été utilisé parce que la conférence parle de ${list(heard.slice(0, 5))}. ${
        resting === 0
          ? 'Il n’a rien changé.'
          : counts(resting, {
              one: '# endroit repose dessus.',
              other: '# endroits reposent dessus.',
            })
      }`,
    packUndone: (title) => `Le pack de termes ${title} n’est pas utilisé pour cette conférence.`,
    packUndo: 'S’en passer',
    packUndoLabel: (title) => `Se passer du pack de termes ${title}`,
    packRedo: 'L’utiliser à nouveau',
    packRedoLabel: (title) => `Utiliser à nouveau le pack de termes ${title}`,
    termTimes: places,
    termPlace: (time) => `Aller à ${time}`,
    decisions: { accepted: 'accepté', rejected: 'refusé', open: 'à vérifier' },
    confidence: (value) => `sûr à ${percent(value)}`,
    warningsNone: 'Aucune alerte : chaque sous-titre respecte ses limites.',
    next: 'Suivant',
    previous: 'Précédent',
    score: 'Format',
    scoreNote:
      'La note de format mesure si les sous-titres respectent leurs limites. Elle ne dit rien des mots mal entendus.',
    reportDoubt: 'Mots',
    reportHearing: 'Écoute',
    reportRules: 'Vérifié selon',
    reportCues: 'Sous-titres',
    reportLongest: 'Ligne la plus longue',
    reportFastest: 'Le plus rapide',
    reportWarnings: 'Alertes',
    reportLength: 'Durée',
    reportBy: 'Transcrit par',
    reportTerms: 'Termes corrigés',
    reportOffers: 'Termes à décider',
    reportTook: 'Temps nécessaire',
    reportCps: (value) => `${number(value, 1)} caractères par seconde`,
    reportChars: (value, most) => `${value} caractères sur ${most}`,
    chart: 'Vitesse de lecture au fil du temps',
    chartNote: (limit) => `Jusqu’à ${limit} caractères par seconde sont confortables.`,
    fixEverything: 'Corriger tout ce qui peut l’être sans risque',
    unheard: (stretches) => `Son sans sous-titres (${number(stretches)})`,
    unheardHint:
      'Écoutez ces passages : de la parole manque peut-être, ou c’est de la musique, des rires ou des applaudissements.',
    stretch: (from, to) => `${from} à ${to}`,
    playStretch: (stretch) => `Lire ${stretch}`,
    captionStretch: (stretch) => `Insérer un sous-titre à ${stretch}`,
    captionIt: 'Insérer un sous-titre ici et le lire',
    nothingMissing: (stretch) => `Il ne manque rien à ${stretch}`,
    nothingMissingShort: 'Il ne manque rien',
    uncertain: (turns) => `Locuteurs incertains (${number(turns)})`,
    uncertainHint: 'Écoutez ces passages et changez le locuteur si quelqu’un d’autre parle.',
    speakerRight: 'Le locuteur est juste',
    speakerRightLabel: (stretch) => `Le locuteur est juste : ${stretch}`,
    doubtsUnknown: 'La reconnaissance vocale n’a pas indiqué la certitude de ses mots.',
    doubtLevel: 'Marquer les mots dont la certitude est inférieure à',
    doubtsNone: 'Aucun mot n’est incertain.',
    doubtsMore: (left) => `Et ${number(left)} de plus.`,
    sure: 'C’est juste',
    sureLabel: (word) => `« ${word} » est juste`,
    sureAll: (times) => `Les ${times} sont justes`,
    playWords: (said, time) => `Lire « ${said} », à ${time}`,
    playWordsShort: 'Lire',
    percent: (value) => percent(value),
  },
  gridText: {
    label: 'Sous-titres, un par ligne',
    columns: 'Colonnes',
    list: 'Retour à la liste',
    open: (at) => `Sous-titre ${at} : modifier le texte`,
    names: {
      start: 'Début',
      end: 'Fin',
      length: 'Secondes',
      speed: 'Car./s',
      warnings: 'Alertes',
      doubts: 'Doutes',
      speaker: 'Locuteur',
      text: 'Texte',
    },
  },
  retimeText: {
    title: 'Changer tous les temps',
    what: 'Que faire',
    kinds: {
      shift: 'Décaler tous les sous-titres',
      stretch: 'Autre cadence d’images',
      points: 'Caler sur deux points',
      cut: 'Couper un passage',
      join: 'Ajouter un autre fichier à la suite',
    },
    by: 'De combien de secondes, par exemple 2,5 ou -0,5',
    from: 'De',
    to: 'À',
    rates: { from: 'Fait pour (images par seconde)', to: 'Lu à (images par seconde)' },
    is1: 'Un temps est maintenant',
    shall1: 'doit être',
    is2: 'Un autre temps est maintenant',
    shall2: 'doit être',
    file: 'Fichier de sous-titres',
    begins: 'Il commence à',
    run: 'Changer les temps',
    wrong:
      'Saisissez les temps tels qu’ils figurent dans les sous-titres ; deux points doivent être à des temps différents, dans le même ordre.',
    outcome: (before, after, dropped) =>
      dropped === 0
        ? `Le dernier sous-titre finit à ${after}, maintenant à ${before}.`
        : `Le dernier sous-titre finit à ${after}, maintenant à ${before}. ${counts(dropped, { one: '# sous-titre disparaît.', other: '# sous-titres disparaissent.' })}`,
    done: (changed) => `Temps changés : ${captions(changed)}.`,
  },
  fileText: {
    title: 'Le fichier de ces sous-titres',
    format: (name) => `Lu comme ${name}.`,
    encoding: 'Codage de son texte',
    preview: 'Il se lit ainsi',
    use: 'Le lire dans ce codage',
    used: (read) => `Relu : ${captions(read)}.`,
    none: 'Aucun sous-titre ne peut être lu dans ce codage.',
    unread: (lines) =>
      counts(lines, { one: '# ligne n’a pas été lue', other: '# lignes n’ont pas été lues' }),
    line: (line) => (line === 0 ? 'Un sous-titre' : `Ligne ${line}`),
    more: (lines) => `Et ${number(lines)} de plus.`,
    all: 'Toutes les lignes ont été lues.',
    notice: (lines, encoding) =>
      [
        lines === 0
          ? ''
          : counts(lines, {
              one: '# ligne du fichier n’a pas été lue.',
              other: '# lignes du fichier n’ont pas été lues.',
            }),
        encoding === null ? '' : `Son texte a été lu en ${encoding}.`,
      ]
        .filter((says) => says !== '')
        .join(' '),
    show: 'Afficher…',
    dismiss: 'Masquer',
  },
  lossText: {
    title: (format) => `Ce que ${format} ne contient pas`,
    hint: 'Tout reste dans cette relecture.',
    caption: (cue) => (cue === 0 ? '' : `Sous-titre ${cue} : `),
    changed:
      'Son texte a été modifié : ce qui l’a été ne garde pas les couleurs, les aides à la lecture (ruby) ni les temps des mots du fichier.',
    more: (losses) => `Et ${number(losses)} de plus.`,
    save: 'Télécharger quand même',
  },
  commandNames: {
    seekSelects:
      'Sélectionner le sous-titre sous la tête de lecture lors d’un déplacement, oui ou non',
    backward: 'Lire à rebours ; encore pour aller plus vite',
    stop: 'Arrêter, et revenir à la vitesse normale',
    forward: 'Lire ; encore pour aller plus vite',
    frameBack: 'Reculer de 1 image',
    frameOn: 'Avancer de 1 image',
    playFrom: 'Lire à partir de ce sous-titre',
    playRest: 'Lire jusqu’à la fin du sous-titre',
    slower: 'Plus lent',
    faster: 'Plus rapide',
    previous: 'Sous-titre précédent',
    next: 'Sous-titre suivant',
    up: 'Sous-titre précédent, sans le curseur',
    down: 'Sous-titre suivant, sans le curseur',
    type: 'Écrire dans ce sous-titre',
    nextAny: 'Prochaine chose à vérifier',
    previousAny: 'Chose précédente à vérifier',
    nextTerm: 'Prochain terme à décider',
    previousTerm: 'Terme précédent à décider',
    nextDoubt: 'Prochain mot incertain',
    previousDoubt: 'Mot incertain précédent',
    nextWarning: 'Prochaine alerte',
    previousWarning: 'Alerte précédente',
    accept: 'Accepter le terme, ou le mot incertain tel quel',
    reject: 'Refuser le terme',
    acceptAll: 'Accepter ce terme partout, ou ce mot partout tel quel',
    rejectAll: 'Refuser ce terme partout',
    showTerms: 'Afficher les termes',
    showDoubts: 'Afficher les mots incertains',
    showWarnings: 'Afficher les alertes',
    showReport: 'Afficher le rapport de format',
    showSpeakers: 'Afficher les locuteurs',
    showComments: 'Afficher les commentaires',
    checkNetflix: 'Vérifier selon les règles de Netflix',
    checkBbc: 'Vérifier selon les règles de la BBC',
    checkDcmp: 'Vérifier selon les règles du DCMP',
    checkYoutube: 'Vérifier selon les règles de YouTube',
    checkOwn: 'Vérifier selon les limites de cette tâche',
    fixAll: 'Corriger toutes les alertes qui peuvent l’être sans risque',
    split: 'Diviser au curseur',
    merge: 'Fusionner avec le suivant, ou fusionner toute la sélection',
    mergeBack: 'Fusionner avec le précédent',
    insert: 'Insérer un sous-titre après celui-ci',
    delete: 'Supprimer le sous-titre, ou toute la sélection',
    wordBack: 'Déplacer le premier mot vers le sous-titre précédent',
    wordOn: 'Déplacer le dernier mot vers le sous-titre suivant',
    lines: 'Recouper les lignes',
    italics: 'Italique, oui ou non, pour les mots sélectionnés',
    selectUp: 'Sélectionner aussi le sous-titre du dessus',
    selectDown: 'Sélectionner aussi le sous-titre du dessous',
    selectAll: 'Sélectionner tous les sous-titres',
    speaker1: 'Le locuteur 1 parle',
    speaker2: 'Le locuteur 2 parle',
    speaker3: 'Le locuteur 3 parle',
    speaker4: 'Le locuteur 4 parle',
    speaker5: 'Le locuteur 5 parle',
    speaker6: 'Le locuteur 6 parle',
    speaker7: 'Le locuteur 7 parle',
    speaker8: 'Le locuteur 8 parle',
    speaker9: 'Le locuteur 9 parle',
    top: 'Placer en haut de l’image, ou remettre en bas',
    newSpeaker: 'Nommer un nouveau locuteur',
    rebuild: 'Reconstruire les sous-titres avec d’autres paramètres',
    profiles: 'Vos propres profils pour la vérification',
    script: 'Aligner un script',
    undo: 'Annuler',
    redo: 'Rétablir',
    startHere: 'Début à la tête de lecture',
    endHere: 'Fin à la tête de lecture',
    earlier: '0,1 s plus tôt',
    later: '0,1 s plus tard',
    closeGap: 'Fermer l’intervalle avec le sous-titre suivant',
    shift: 'Décaler des sous-titres de quelques secondes',
    retime: 'Changer tous les temps : décaler, cadence d’images, deux points, couper, joindre',
    frames: 'Images et code temporel',
    push: 'Les voisins font de la place quand les temps changent',
    roll: 'Raccord : les deux côtés d’une coupe bougent ensemble',
    ripple: 'Propagation : tous les sous-titres suivants bougent aussi',
    free: 'Libre : aucun autre sous-titre ne bouge',
    snapSpeech: 'Aligner sur la parole, oui ou non',
    snapShots: 'Aligner sur les changements de plan, oui ou non',
    snapFrames: 'Aligner sur les images, oui ou non',
    snapNeighbours: 'Aligner sur les voisins pendant le glissement, oui ou non',
    findShots: 'Trouver les changements de plan de la vidéo',
    zoomIn: 'Agrandir la ligne de temps',
    zoomOut: 'Réduire la ligne de temps',
    find: 'Rechercher',
    replace: 'Rechercher et remplacer',
    findNext: 'Résultat suivant',
    findPrevious: 'Résultat précédent',
    compare: 'Comparer à l’original',
    open: 'Ouvrir l’enregistrement, ou d’autres sous-titres',
    download: 'Télécharger le SRT',
    downloadText: 'Télécharger le texte seul',
    copy: 'Copier le SRT',
    translate: 'Traductions au lieu des sous-titres, oui ou non',
    transcript: 'Transcription au lieu des sous-titres, oui ou non',
    palette: 'Toutes les commandes',
    share: 'Demander des commentaires : partager cette relecture par un lien',
    burn: 'Créer une vidéo avec les sous-titres dans l’image',
    file: 'Comment le fichier de ces sous-titres a été lu',
    grid: 'Afficher les sous-titres en grille dense, ou en liste',
    sheet: 'Voir et changer les raccourcis',
    applause: 'Décrire un son : applaudissements',
    laughter: 'Décrire un son : rires',
    music: 'Décrire un son : musique',
    sound: 'Décrire un autre son',
    work: 'Versions, qui travaille à cette relecture, et son approbation',
  },
  keyGroups: {
    play: 'Lecture',
    navigation: 'Parcourir et vérifier',
    edit: 'Sous-titres',
    time: 'Temps',
    find: 'Rechercher',
    other: 'Tout le reste',
  },
  sheet: {
    keysTitle: 'Raccourcis clavier',
    keysHint: isMac()
      ? 'Appuyez sur le bouton d’une touche pour en choisir une autre. Pendant que vous écrivez, maintenez Control en plus d’Option, qui seule écrit des caractères et se déplace par mots. Les lettres seules n’agissent pas pendant que vous écrivez.'
      : 'Appuyez sur le bouton d’une touche pour en choisir une autre. Les lettres seules n’agissent pas pendant que vous écrivez.',
    paletteAsk: 'Que voulez-vous faire ?',
    paletteNone: 'Aucune commande correspondante.',
    keyOf: (says) => `Changer la touche de « ${says} », maintenant `,
    keyBack: (says) => `${says} : rétablir la touche par défaut`,
    pressKey: 'Appuyez sur la touche…',
    noKey: 'aucune',
    keysReset: 'Rétablir toutes les touches par défaut',
    textKeysTitle: 'Dans le texte d’un sous-titre',
    textKeys: [
      ['Entrée', 'Sous-titre suivant'],
      ['Maj+Entrée', 'Nouvelle ligne'],
      ['↑ dans la première ligne', 'Sous-titre précédent'],
      ['↓ dans la dernière ligne', 'Sous-titre suivant'],
      ['Retour arrière au début', 'Fusionner avec le précédent'],
      ['Suppr à la fin', 'Fusionner avec le suivant'],
      ['Échap', 'Désélectionner ; quitter le texte'],
    ],
  },
  house: {
    title: 'Vos propres profils',
    hint: 'Des règles à vous, fondées sur celles d’un diffuseur. Elles sont conservées dans ce navigateur ; enregistrez-en une dans un fichier pour l’utiliser ailleurs, par exemple en ligne de commande.',
    which: 'Profil',
    fresh: 'Nouveau profil',
    name: 'Nom',
    base: 'Fondé sur',
    maxLines: 'Lignes par sous-titre, au plus',
    maxLineChars: 'Caractères par ligne, au plus',
    unit: 'Vitesse de lecture en',
    characters: 'caractères par seconde',
    words: 'mots par minute',
    perSecond: 'Caractères par seconde, au plus',
    perMinute: 'Mots par minute, au plus',
    minDuration: 'Sous-titre le plus court, en secondes',
    maxDuration: 'Sous-titre le plus long, en secondes',
    gapFrames: 'Images entre les sous-titres, au moins',
    closedGap: 'Fermer les intervalles jusqu’à, en secondes',
    frames: 'Images par seconde',
    noFrames: 'indifférent : les sous-titres ne suivent pas les images',
    shots: 'Éviter les changements de plan',
    before: 'Finir les sous-titres ce nombre d’images avant un changement de plan',
    dialogue: 'Deux locuteurs dans un sous-titre',
    dialogues: {
      'both -': '-Chaque ligne avec un tiret',
      'both - ': '- Chaque ligne avec un tiret et une espace',
      'second -': '-Seulement la deuxième ligne, avec un tiret',
      'second - ': '- Seulement la deuxième ligne, avec un tiret et une espace',
    },
    save: 'Enregistrer',
    saved: (name) =>
      `« ${name} » est enregistré. Vous pouvez le choisir sous « Vérifier selon » et quand vous reconstruisez des sous-titres.`,
    remove: 'Supprimer',
    removed: (name) => `« ${name} » est supprimé.`,
    undo: 'Annuler',
    download: 'Enregistrer dans un fichier',
    open: 'Ouvrir un fichier',
    opened: (name) => `« ${name} » a été lu dans le fichier et enregistré.`,
    tooLarge: 'Ce fichier est trop volumineux pour un profil.',
    wrong: 'Ce fichier est inutilisable :',
    nameFirst: 'Donnez d’abord un nom au profil.',
    taken: (name) =>
      `Il existe déjà un profil nommé « ${name} ». Choisissez un autre nom, ou modifiez ce profil.`,
    order: 'Le sous-titre le plus court ne doit pas être plus long que le plus long.',
  },
  profiles: {
    rules,
    why: (rule, blockedBy) =>
      blockedBy.length === 0
        ? `Pas de correction automatique : ${whyNot[rule] ?? 'aucun changement de ses seuls temps n’y remédie'}.`
        : `Pas de correction automatique : sans changer de mots, elle enfreindrait ${list(
            blockedBy.map((each) => `« ${rules[each] ?? each} »`),
            'or',
          )} ici ou à côté.`,
    by: 'Vérifier selon',
    own: 'Les limites de cette tâche',
    service: 'Les valeurs par défaut de Captioner',
    frameRate: 'Images par seconde',
    itsRate: 'comme dans les règles',
    videoRate: (rate) => `comme dans la vidéo (${number(rate)})`,
    manage: 'Vos propres profils…',
    checking: 'Vérification…',
    failed: 'Les règles n’ont pas pu être chargées. Choisissez-les à nouveau.',
    none: 'Chaque sous-titre respecte ces règles.',
    fixAll: (found) => `Corriger les ${number(found)}`,
    fixEverything: (found) => `Corriger tout ce qui peut l’être sans risque (${number(found)})`,
    fixLabel: (at, rule) => `Corriger le sous-titre ${at} : ${rules[rule] ?? rule}`,
    more: (found) => `Et ${number(found)} de plus.`,
    bySource: (source) => `Source : ${source}.`,
  },
  framesText: {
    title: 'Images et code temporel',
    rate: 'Images par seconde',
    unknown: 'inconnu : lisez la vidéo, ou choisissez',
    ruled: (rate) => `comme dans les règles (${number(rate)})`,
    video: (rate) => `comme dans la vidéo (${number(rate)})`,
    drop: 'Drop frame (saut de numéros)',
    dropHint:
      'Deux ou quatre numéros sont omis chaque minute, sauf chaque dixième, pour que le code temporel suive l’horloge.',
    times: 'Afficher les temps en',
    auto: 'images tant que les règles choisies les demandent',
    frames: 'images (HH:MM:SS:FF)',
    milliseconds: 'millisecondes',
    start: 'Début du programme',
    startHint:
      'Le code temporel de la première image. Il est ajouté à tous les temps affichés ici, et dans les fichiers qui comptent les images.',
    badStart: (isKnown) =>
      isKnown
        ? 'Saisissez un code temporel, par exemple 10:00:00:00.'
        : 'Choisissez d’abord les images par seconde.',
    noRate:
      'Les temps sont affichés en millisecondes : les images par seconde ne sont pas connues.',
    now: (example) =>
      `Une seconde après le début de l’enregistrement, il est maintenant ${example}.`,
  },
  reportText: {
    title: (name) => `Sous-titres de ${name}`,
    own: 'Les limites de cette tâche',
    atRate: (by, rate) => `${by}, à ${number(rate)} images par seconde`,
    columns: ['Sous-titre', 'Début', 'Fin', 'Texte', 'Alertes'],
    summary: (by, found, warned, score) =>
      `Vérifié selon : ${by}. ${captions(found)}, ${warnings(warned)}. Note de format : ${percent(score)}.`,
  },
  rebuildText: {
    title: 'Reconstruire les sous-titres',
    what: 'Que faire',
    anew: 'Les découper et les caler à nouveau',
    linesOnly: 'Seulement recouper leurs lignes',
    which: 'Quels sous-titres',
    all: (found) => `Les ${number(found)}`,
    selected: (found) => counts(found, { one: 'Le # sélectionné', other: 'Les # sélectionnés' }),
    rules: 'Règles',
    own: 'Ces paramètres',
    hint: 'Chaque mot reste tel quel. Quand c’est possible, les temps viennent des mots reconnus.',
    become: (before, after) =>
      counts(before, {
        one: `# sous-titre en devient ${number(after)}.`,
        other: `# sous-titres en deviennent ${number(after)}.`,
      }),
    noChange: 'Rien ne changerait.',
    run: 'Reconstruire',
    done: (found) => `Reconstruit : maintenant ${captions(found)}.`,
  },
  scriptText: {
    title: 'Aligner un script',
    hint: 'Collez ce qui a été dit, en tout ou en partie. Les sous-titres reçoivent exactement ces mots, aux moments où ils ont été prononcés. Un paragraphe ou une ligne peut commencer par le nom d’un locuteur suivi de deux-points.',
    label: 'Script',
    file: 'Choisir un fichier texte',
    align: 'Aligner',
    again: 'Retour au script',
    use: 'Utiliser ces mots',
    empty: 'Collez d’abord le script.',
    tooLarge: 'Le fichier dépasse 5 Mo.',
    agreement: (share) => `${percent(share)} du script correspondent aux mots reconnus.`,
    unlike:
      'La plus grande partie de ce script ne correspond pas à l’enregistrement. Est-ce le bon ? Les temps des mots sans correspondance sont estimés.',
    part: (from, to) =>
      `Le script porte sur une partie de la conférence, de ${from} à ${to}. Les sous-titres avant et après restent tels quels.`,
    whole: 'Le script porte sur toute la conférence',
    deletes: (found) =>
      counts(found, {
        one: 'Cela supprimerait # sous-titre que le script omet.',
        other: 'Cela supprimerait # sous-titres que le script omet.',
      }),
    leavesOut: (found) =>
      found === 0
        ? ''
        : counts(found, {
            one: 'L’utiliser supprime # mot reconnu qu’il omet.',
            other: 'L’utiliser supprime # mots reconnus qu’il omet.',
          }),
    asBefore: 'Rien n’a changé : les sous-titres ont déjà ces mots.',
    same: 'Le script correspond aux mots reconnus.',
    differences: (found) =>
      counts(found, { one: 'Il diffère à # endroit :', other: 'Il diffère à # endroits :' }),
    more: (found) => `Et à ${number(found)} de plus.`,
    done: (found) => `Aligné : maintenant ${captions(found)}.`,
  },
  evidence: {
    title: 'Vérifier l’exactitude',
    about:
      'Écoutez de courts passages de toute la conférence, tirés au hasard, et corrigez ce qui est affiché. 50 passages prennent environ cinq minutes et donnent un chiffre que l’on peut présenter à d’autres ; les corrections entrent aussi dans les sous-titres.',
    signIn: 'Enregistrez d’abord cette relecture sur le serveur : les chiffres y sont conservés.',
    noSound: 'Ouvrez d’abord l’enregistrement : ce que personne n’a entendu ne peut être jugé.',
    name: 'Votre nom',
    nameHint: 'Il figure dans le rapport.',
    start: 'Vérifier l’exactitude',
    again: 'Commencer une autre vérification',
    goOn: 'Continuer',
    passage: (at, left) =>
      counts(left, {
        one: `Passage ${at}. Encore # passage jusqu’au prochain chiffre.`,
        other: `Passage ${at}. Encore # passages jusqu’au prochain chiffre.`,
      }),
    play: 'Lire à nouveau',
    heard: 'Ce qui est dit',
    silent: 'Les sous-titres n’affichent rien ici. Laissez le champ vide si personne ne parle.',
    late: 'Les sous-titres ont plus d’une demi-seconde de décalage',
    next: 'Passage suivant',
    back: 'Passage précédent',
    errors: 'Erreurs dans ce passage',
    noErrors: 'Aucune erreur dans ce passage.',
    classes: {
      substitution: 'mot faux',
      insertion: 'mot en trop',
      deletion: 'mot manquant',
      name: 'nom',
      punctuation: 'ponctuation ou casse',
      speaker: 'locuteur',
      sound: 'son',
      time: 'temps',
    },
    error: (shown, said) => `${shown ?? '–'} → ${said ?? '–'}`,
    byHand: 'Les sous-titres ont été modifiés ici entre-temps. Corrigez-les à la main.',
    soFar: (value, heard) =>
      `Jusqu’ici ${figure(value)} de ${words(heard)}. Cela ne compte qu’une fois tous les passages de cette partie entendus.`,
    counts: (value) => `Exactitude : ${figure(value)}, avec une certitude de 95 %.`,
    goal: (goal) => `L’objectif est de ${percent(goal, 1)}.`,
    states: {
      open: 'L’objectif est encore dans l’intervalle.',
      above: 'Les sous-titres sont au-dessus de l’objectif.',
      below: 'Les sous-titres sont au-dessous de l’objectif.',
      ended: 'L’objectif est dans l’intervalle, et il ne reste aucun passage.',
    },
    needed: (needed) => `Il faut environ ${number(needed)} mots pour trancher.`,
    agreement: (people, share, kappa) =>
      kappa === null
        ? `${people} sont d’accord sur ${percent(share, 1)} des mots.`
        : `${people} sont d’accord sur ${percent(share, 1)} des mots (kappa ${number(kappa, 2)}).`,
    reports: { 'report.json': 'Rapport signé', 'report.pdf': 'Rapport en PDF' },
  },
  verifyText: {
    title: 'Vérifier un rapport',
    about:
      'Choisissez un rapport signé (report.json), et le fichier de sous-titres si vous l’avez. Les deux sont vérifiés dans ce navigateur, et rien n’est envoyé.',
    choose: 'Choisir des fichiers',
    tooLarge: (name) => `${name} est trop volumineux pour un rapport ou des sous-titres.`,
    noReport: 'Choisissez aussi le rapport (report.json).',
    refused: (name, reason) => `${name} ne prouve rien. ${reason}`,
    signed: (name, date) => `${name} est tel qu’il a été signé le ${date}.`,
    talk: (talk) => `Il porte sur les sous-titres de « ${talk} ».`,
    ours: 'Ce service l’a signé.',
    others: (key) =>
      `Ce service ne l’a pas signé. Demandez à la personne qui l’a envoyé quel service l’a fait ; sa clé est ${key}.`,
    unknown: (key) =>
      `Il n’a pas été possible de vérifier si ce service l’a signé, car sa clé n’a pas été lue. La clé du rapport est ${key}.`,
    same: (name) => `${name} est le fichier que nomme le rapport.`,
    changed: (name) =>
      `Le rapport porte sur une autre version : ${name} n’est pas un fichier qu’il nomme.`,
    accuracy: (value, person) => `${person} a mesuré une exactitude de ${figure(value)}.`,
    unmeasured: 'Personne n’a mesuré l’exactitude.',
    read: 'Ses points',
  },
  reviewWork: {
    state: ({ state, approval, assignee, due }) => {
      if (approval?.changedSince) return `Modifié depuis l’approbation par ${approval.name}`;
      if (approval) return `Approuvé par ${approval.name}`;
      const whose = assignee === null ? '' : `Pour ${assignee}`;
      const until = due === null ? '' : `à rendre le ${day(due)}`;
      const where = state === 'in_review' ? 'En relecture' : '';
      return [where, whose, until].filter((says) => says !== '').join(' · ');
    },
    title: 'Versions et approbation',
    assignTitle: 'Qui y travaille',
    assignee: 'Attribuée à',
    assigneeHint:
      'Une adresse ou un nom ; vide pour personne. Tout votre espace de travail le voit.',
    due: 'Échéance',
    inReview: 'En relecture',
    assign: 'Enregistrer',
    approveTitle: 'Approbation',
    approver: 'Votre nom',
    approve: 'Approuver cette version',
    approved: (name, when) => `Approuvé par ${name} le ${when}.`,
    changedSince:
      'Les sous-titres ont été modifiés depuis. Comparez-les ci-dessous à la version approuvée.',
    withdraw: 'Retirer l’approbation',
    notSaved:
      'Toutes les modifications ne sont pas encore enregistrées sur le serveur. Approuvez quand elles le seront.',
    versionsTitle: 'Versions enregistrées',
    versionsHint:
      'Une par séance de travail : elle finit après une demi-heure de pause, ou quand quelqu’un d’autre enregistre. Les plus anciennes disparaissent ; une version qui a un nom reste.',
    none: 'Rien n’a encore été enregistré.',
    now: 'Maintenant',
    guest: 'Un invité',
    unknown: 'Quelqu’un',
    byGuest: (link) => `${link} (invité)`,
    compare: 'Comparer',
    compareLabel: (when) => `Comparer à la version du ${when}`,
    bringBack: 'Rétablir',
    bringBackLabel: (when) => `Rétablir la version du ${when}`,
    name: 'Nom',
    nameLabel: (when) => `Nommer la version du ${when}`,
    keepName: 'Enregistrer le nom',
    comparedTitle: (when) => `Comparé à la version du ${when}`,
    broughtBack: (when) => `La version du ${when} est rétablie. « Annuler » l’enlève.`,
    sameAsNow: 'Cette version est identique aux sous-titres actuels.',
  },
  burnText: {
    title: 'Vidéo avec les sous-titres incrustés',
    hint: 'Ce navigateur fait une copie de votre vidéo dans laquelle les sous-titres font partie de l’image, tels que le lecteur les montre : pour les endroits qui n’affichent pas de sous-titres. Elle reste sur cet ordinateur. On ne peut pas désactiver ces sous-titres.',
    makes:
      'Cela prend à peu près la durée de la vidéo, et au plus 1 Gio de mémoire. Gardez cette page ouverte.',
    noVideo: 'Ouvrez d’abord la vidéo ici.',
    cannot:
      'Ce navigateur ne peut pas encoder de vidéo. Utilisez une version actuelle de Chrome, Edge ou Safari.',
    start: 'Créer la vidéo',
    making: (fraction) => `Création de la vidéo : ${percent(fraction)}`,
    stop: 'Arrêter',
    stopped: 'Arrêté. Rien n’a été enregistré.',
    saved: (name, size) => `Enregistré : ${name}, ${size}.`,
    fails: {
      tooLong:
        'La vidéo est trop longue pour être créée dans un navigateur. Téléchargez les sous-titres et incrustez-les avec votre logiciel de montage.',
      other: 'La vidéo n’a pas pu être créée : ce navigateur ne peut pas la lire ou l’encoder.',
    },
  },
  said: saidIn(
    {
      givenName: (heard, name) =>
        `« ${heard} » se prononce comme ${name}, un nom indiqué pour cette conférence.`,
      soundsLike: (heard, name) => `« ${heard} » se prononce comme ${name}.`,
      mishearing: (heard, name) => `« ${heard} » est une confusion connue pour ${name}.`,
      doubtedSubject: (heard, name) =>
        `« ${heard} » est de l’anglais courant, mais a été reconnu avec peu de certitude, et ${name} relève du sujet de la conférence.`,
      ordinaryNear: (heard, name, near) =>
        `« ${heard} » est de l’anglais courant et peut être ${name} : « ${near} » est à proximité.`,
      doubtedNear: (heard, name, near) =>
        `« ${heard} » a été reconnu avec peu de certitude ; c’est ${name} : « ${near} » est à proximité.`,
      orLetters: (heard, name) => `« ${heard} » peut être ${name} ou une suite de lettres.`,
      orLetter: (heard, name) => `« ${heard} » peut être ${name} ou une lettre à côté d’un mot.`,
      orWords: (heard, name) => `« ${heard} » peut être le nom ${name} ou des mots courants.`,
      elsewhere: (heard, name) => `« ${heard} » est le nom ${name}, prononcé aussi ailleurs.`,
      ofSubject: (heard, name) =>
        `« ${heard} » est le nom ${name}, qui relève du sujet de la conférence.`,
      nameNear: (heard, name, near) =>
        `« ${heard} » est le nom ${name} : « ${near} » est à proximité.`,
      near: (heard, name, near) => `« ${heard} » est ${name} : « ${near} » est à proximité.`,
      written: (heard, name) => `« ${heard} » s’écrit ${name}.`,
      modelReads: (heard, name) => `Un modèle de langage lit « ${heard} » comme ${name}.`,
      lineLength: (length, most) => `A une ligne de ${length} caractères ; ${most} au plus.`,
      lineCount: (lines, most) => `A ${lines} lignes ; ${most} au plus.`,
      noDashes: () => 'A deux locuteurs sans les tirets d’usage dans sa langue.',
      notTwoLines: () => 'A deux locuteurs, mais pas deux lignes.',
      speakers: (speakers) => `A ${speakers} locuteurs.`,
      tooShort: (time, least) => `Est affiché ${time} ; au moins ${least}.`,
      tooLong: (time, most) => `Est affiché ${time} ; ${most} au plus.`,
      characters: (speed, most) => `Se lit à ${speed} caractères par seconde ; ${most} au plus.`,
      words: (speed, most) => `Se lit à ${speed} mots par minute ; ${most} au plus.`,
      overlaps: (time) => `Empiète de ${time} sur le sous-titre suivant.`,
      noGap: (least) =>
        `Ne laisse pas d’intervalle avant le sous-titre suivant ; au moins ${least}.`,
      gap: (time, least) =>
        `Laisse un intervalle de ${time} avant le sous-titre suivant ; au moins ${least}.`,
      gapOrNone: (time, least) =>
        `Laisse un intervalle de ${time} avant le sous-titre suivant ; aucun, ou au moins ${least}.`,
      gapOr: (time, frames, least) =>
        `Laisse un intervalle de ${time} avant le sous-titre suivant ; ${frames}, ou au moins ${least}.`,
      offFrames: () => 'Ne commence pas et ne finit pas sur une image.',
      beginsBefore: (frames) => `Commence ${frames} avant un changement de plan.`,
      beginsAfter: (frames) => `Commence ${frames} après un changement de plan.`,
      endsBefore: (frames) => `Finit ${frames} avant un changement de plan.`,
      endsAfter: (frames) => `Finit ${frames} après un changement de plan.`,
      adults: (title) => `${title}, pour adultes`,
      children: (title) => `${title}, pour enfants`,
      partsLost: (format, part, captions) =>
        `Le fichier ${format} ne conserve pas ceci : ${part} (${captions}).`,
      onlyBottom: () => 'iTT ne place les sous-titres qu’en haut et en bas : celui-ci est en bas.',
      sccRate: (rate) =>
        `SCC compte 29,97 images par seconde : les temps suivent cette cadence, et non ${rate}.`,
      stlRate: (rate, used) =>
        `EBU-STL ne connaît pas ${rate} images par seconde : les temps suivent ${used} images par seconde.`,
      stlFew: (code) =>
        `EBU-STL est défini pour 25 et 30 images par seconde ; tous les programmes ne lisent pas ${code}.`,
      late: (time) => `Apparaît avec ${time} s de retard : c’est le temps d’envoi de ses mots.`,
      rows: (rows, most) => `A ${rows} lignes ; les décodeurs en affichent ${most}.`,
      rowCut: (length, most) =>
        `Une ligne de ${length} caractères dépasse les ${most} possibles : sa fin est perdue.`,
      rowLong: (length, most) => `Une ligne de ${length} caractères dépasse les ${most} possibles.`,
      plainLetters: (letters) =>
        `CEA-608 n’a pas ${letters} : des lettres simples ou des points d’interrogation les remplacent.`,
      questionMarks: (letters) =>
        `EBU-STL n’a pas ${letters} : des points d’interrogation les remplacent.`,
      notWritten: () => 'N’est pas écrit : le code temporel d’EBU-STL s’arrête à 23:59:59.',
      colourSpace: () => 'Une couleur qui commence dans un mot est précédée d’une espace.',
      textCut: () => 'Le texte dépasse ce qu’EBU-STL peut contenir, et il est coupé.',
      unsureRough: (unsure, words) =>
        `${unsure} mots incertains sur ${words} (solution de repli sommaire)`,
      unsure: (unsure, words) => `${unsure} mots incertains sur ${words}`,
      noConfidenceRough: (words) =>
        `${words} mots, sans indication de certitude (solution de repli sommaire)`,
      noConfidence: (words) => `${words} mots, sans indication de certitude`,
      wrong: (share, least, most) =>
        `Environ ${share} % des mots sont probablement faux (de ${least} à ${most} %).`,
      worst: (where) => `Passages les moins bien entendus : ${where}.`,
      noWords: (share) => `${share} % de la parole n’est pas transcrite.`,
      spoken: (language, where) =>
        `Langue parlée, et reconnue comme telle : ${language} (${where}).`,
      notLikeUnsure: (language, share) =>
        `Cela ne ressemble pas à cette langue (${language}) : ${share} % des mots sont incertains.`,
      notLike: (language) => `Cela ne ressemble pas à cette langue (${language}).`,
      partNotLikeUnsure: (where, language, share) =>
        `Ce qui est dit ici (${where}) ne ressemble pas à cette langue (${language}) : ${share} % des mots sont incertains.`,
      partNotLike: (where, language) =>
        `Ce qui est dit ici (${where}) ne ressemble pas à cette langue (${language}).`,
      soundsAs: (language) => `La langue semble être : ${language}.`,
      offersMore: (heard, meant, places, where, more) =>
        `${heard} → ${meant}, ${places} endroits : ${where} et ${more} autres`,
      offers: (heard, meant, places, where) => `${heard} → ${meant}, ${places} endroits : ${where}`,
      offer: (heard, meant, where) => `${heard} → ${meant}, 1 endroit : ${where}`,
      limitsTogether: (terms, tokens) =>
        `au plus ${terms} termes clés totalisant ${tokens} tokens ; l’enregistrement est envoyé d’un bloc`,
      limitsWords: (words) =>
        `termes clés d’au plus ${words} mots ; l’enregistrement est envoyé d’un bloc`,
      limitsPieces: (tokens) =>
        `termes clés totalisant ${tokens} tokens ; l’enregistrement est envoyé par morceaux de chunkBytes`,
      limitsHere: () =>
        'Moonshine, Whisper et les petits transducteurs tiennent compte des termes clés ; la correction les utilise avec tous les modèles ; rien ne quitte cette machine',
      packIdentity: () => 'Identité et authentification',
      packIdentityAbout: () =>
        'Vocabulaire de l’authentification, des autorisations et de la fédération d’identités.',
      packAgents: () => 'Agents d’IA',
      packAgentsAbout: () =>
        'Agents fondés sur des modèles de langage, modèles, évaluation et outils de développement.',
      packSaasAbout: () =>
        'Vente et exploitation de logiciels mutualisés pour les entreprises (exigences des grands comptes, indicateurs, conformité).',
      packNightAbout: () =>
        'Soirée de la communauté, avec exposés et démonstrations sur le Model Context Protocol, les agents et leur authentification.',
      packProtocolAbout: () =>
        'Protocole ouvert qui relie les applications d’IA à des outils et à des données par des serveurs MCP (JSON-RPC 2.0, stdio et Streamable HTTP).',
      packCloudflareAbout: () => 'Noms de la plateforme de développement de Cloudflare.',
      packWorkosAbout: () =>
        'Produits et vocabulaire de WorkOS (AuthKit, SSO, Directory Sync, Radar, FGA, Vault, Admin Portal).',
      profileNotJson: () => 'Le fichier n’est pas du JSON.',
      profileFormat: (format) =>
        `Le fichier n’est pas un profil : « format » doit valoir « ${format} ».`,
      profileOrder: (most) => `minDuration ne doit pas dépasser maxDuration, qui vaut ${most}`,
      profileWhole: (field, least, most) =>
        `${field} doit être un nombre entier de ${least} à ${most}`,
      profileNumberOrNull: (field, least, most) =>
        `${field} doit être un nombre de ${least} à ${most}, ou null`,
      profileNumber: (field, least, most) => `${field} doit être un nombre de ${least} à ${most}`,
      profileObjectOrNull: (field, fields) => `${field} doit être un objet avec ${fields}, ou null`,
      profileObject: (field, fields) => `${field} doit être un objet avec ${fields}`,
      profileText: (field, most) =>
        `${field} doit être un texte de 1 à ${most} caractères sur une ligne`,
      profileMissing: (field) => `${field} manque`,
      profileUnknown: (field) => `${field} n’est pas un champ connu`,
      profileOneOf: (field, values) => `${field} doit être l’une de ces valeurs : ${values}`,
    },
    {
      frames: (value) => counts(value, { one: '# image', other: '# images' }),
      parts: {
        italics: 'italique',
        colours: 'couleurs',
        'names of speakers': 'noms des locuteurs',
        positions: 'positions',
        'exact rows': 'lignes exactes',
        'columns (vertical text)': 'colonnes (texte vertical)',
        'readings beside characters': 'aides à la lecture à côté des caractères (ruby)',
        'dots of emphasis': 'points d’insistance',
        'times of words': 'temps des mots',
      },
      captions: (value) => counts(value, { one: '# sous-titre', other: '# sous-titres' }),
    },
  ),
  saveText: {
    saved: 'Enregistré',
    saving: 'Enregistrement…',
    here: 'Enregistré ici',
    hereHint: 'Dans ce navigateur',
    notStored:
      'Ce navigateur ne peut pas enregistrer les modifications. Téléchargez les sous-titres avant de quitter la page.',
    alone: 'Enregistré ici. Connectez-vous pour partager.',
    choose: 'Non enregistré : choisissez une version',
    refused: (message) => `Enregistré dans ce navigateur seulement. ${message}`,
    conflict: (found) =>
      `Quelqu’un d’autre a modifié ${captions(found)} que vous avez aussi modifiés. Rien n’est perdu : choisissez quelle version garder.`,
    compare: 'Choisir',
    news: (found) =>
      `Quelqu’un d’autre a modifié ${captions(found)}. Les modifications sont maintenant dans votre relecture.`,
    show: 'Afficher',
    dismiss: 'OK',
    dialogTitle: 'Modifications d’autres personnes',
    conflictHint:
      'Choisissez une version de chacun de ces sous-titres. Votre relecture est alors enregistrée.',
    newsHint:
      'Elles sont maintenant dans votre relecture. Vous pouvez les modifier ou les annuler.',
    keepMine: 'Garder la mienne',
    takeTheirs: 'Prendre l’autre',
    keepLabel: (time) => `Garder la mienne, à ${time}`,
    takeLabel: (time) => `Prendre l’autre, à ${time}`,
    mine: 'La vôtre',
    theirs: 'L’autre',
    noCaption: 'pas de sous-titre',
    nothingLeft: 'Il ne reste rien à choisir.',
    otherTab:
      'Cette relecture est en cours de modification dans un autre onglet. Ses modifications apparaissent ici.',
    editHere: 'Modifier ici',
    asking: {
      asked: 'Demande à l’autre onglet de céder la main…',
      unanswered: 'L’autre onglet ne répond pas : fermez-le pour modifier ici.',
      unsaved:
        'L’autre onglet a des modifications que ce navigateur n’a pas pu enregistrer : téléchargez-les d’abord là-bas.',
    },
  },
  sharing: {
    title: 'Demander des commentaires',
    hint: 'Quiconque a le lien n’a besoin d’aucun compte. On y voit les sous-titres, la transcription, le sujet et les termes de cet enregistrement, et rien d’autre de votre espace de travail.',
    whom: 'Pour qui',
    whomHint: 'Un nom pour le lien, que seul votre espace de travail voit.',
    right: 'Les personnes qui ont le lien peuvent',
    rights: { view: 'lire', comment: 'lire et commenter', edit: 'modifier les sous-titres' },
    days: 'Il est valable',
    day: (days) => counts(days, { one: '# jour', other: '# jours' }),
    hear: 'Leur faire entendre l’enregistrement',
    hearHint:
      'On entend le son qui reste avec la tâche, jusqu’à ce que vous la terminiez ou que le lien expire.',
    sendHint:
      'Cette tâche n’a plus de son. Votre navigateur crée un petit MP3 et l’envoie pour les seuls invités de ce lien ; le serveur le supprime avec le lien.',
    hearNot:
      'L’enregistrement n’est pas ici. Ouvrez-le d’abord dans la relecture pour le faire entendre.',
    see: 'Leur montrer la vidéo',
    seeHint: 'La petite copie qui a été ajoutée à la tâche.',
    soundMade: (fraction) => `Création d’un petit MP3 : ${percent(fraction)}`,
    soundSent: (fraction) => `Envoi de l’enregistrement : ${percent(fraction)}`,
    soundFails:
      'Aucun lien n’a été créé : ce navigateur ne peut pas faire un petit MP3 de cet enregistrement.',
    make: 'Créer un lien',
    making: 'Création d’un lien…',
    made: 'Le lien est maintenant actif. Envoyez-le :',
    mailLabel: 'Votre e-mail',
    mailSubject: (talk) => `Merci de regarder les sous-titres de ${talk}`,
    mail: {
      view: (url, until, gets) =>
        mail('Voici les sous-titres d’un enregistrement.', url, until, gets),
      comment: (url, until, gets) =>
        mail(
          'Merci de regarder ces sous-titres et de commenter ce qui ne va pas : surtout les noms et les termes.',
          url,
          until,
          gets,
        ),
      edit: (url, until, gets) =>
        mail(
          'Merci de corriger ces sous-titres ; ce que vous modifiez est enregistré.',
          url,
          until,
          gets,
        ),
    },
    openMail: 'Écrire l’e-mail',
    copyMail: 'Copier l’e-mail',
    mailCopied: 'L’e-mail est copié.',
    copy: 'Copier le lien',
    copied: 'Le lien est copié.',
    notCopied: 'Le navigateur n’a pas autorisé la copie. Sélectionnez le texte et copiez-le.',
    links: 'Liens actifs',
    none: 'Aucun lien pour l’instant.',
    unnamed: (made) => `Lien du ${made}`,
    link: (right, until, gets) =>
      `Permet de ${list(
        [
          right,
          gets.hears ? 'entendre l’enregistrement' : '',
          gets.sees ? 'voir la vidéo' : '',
        ].filter((may) => may !== ''),
      )}${gets.hears ? '' : ' (sans son)'}, jusqu’au ${until}`,
    notOpened: 'Personne ne l’a encore ouvert.',
    opened: (times, last, people) =>
      people.length === 0
        ? `Ouvert ${number(times)} fois, la dernière le ${last}.`
        : `Ouvert ${number(times)} fois, la dernière le ${last}. Commentaires de ${list(people)}.`,
    rename: 'Renommer',
    nameOf: (link) => `Nom de ${link}`,
    saveName: 'Enregistrer',
    renamed: 'Renommé.',
    revoke: 'Révoquer',
    of: (verb, link) => `${verb} : ${link}`,
    revoked: 'Révoqué. Le lien n’ouvre plus rien.',
    staysTitle: 'Ce qui reste avec la tâche',
    soundStays: (size) =>
      `Le son (${size}), jusqu’à ce que vous terminiez la relecture. Votre espace de travail l’entend dans tout navigateur.`,
    noSoundStays:
      'Pas de son : il a été supprimé après la transcription, ou à la fin de la relecture.',
    videoStays: (size) =>
      `Une petite vidéo (${size}), jusqu’à ce que vous terminiez la relecture. Votre espace de travail la voit dans tout navigateur.`,
    videoHere:
      'La vidéo n’est que sur cet ordinateur. Une petite copie (360 lignes) peut être créée ici et ajoutée à la tâche, pour vous dans d’autres navigateurs et pour les invités ; elle est supprimée quand vous terminez la relecture.',
    videoCannot:
      'La vidéo n’est que sur cet ordinateur. Ce navigateur ne peut pas en faire une petite copie.',
    noVideoHere: 'Pas de vidéo.',
    addVideo: 'Ajouter une petite vidéo',
    deleteVideo: 'Supprimer la vidéo de la tâche',
    videoMade: (fraction) => `Création d’une petite vidéo : ${percent(fraction)}`,
    videoSent: (fraction) => `Envoi de la vidéo : ${percent(fraction)}`,
    videoAdded: (size) => `Ajoutée : ${size}.`,
    videoDeleted: 'La vidéo est supprimée du serveur.',
    videoFails: {
      tooLong: 'La vidéo est trop longue pour une petite copie.',
      other: 'Ce navigateur ne peut pas faire une petite copie de cette vidéo.',
    },
    opening: 'Ouverture de la relecture…',
    gone: 'Ce lien n’ouvre rien : il a expiré, a été révoqué, ou n’est pas complet. Demandez-en un nouveau à la personne qui l’a envoyé.',
    refused: (message) => `Ce lien n’a pas pu être ouvert. ${message}`,
    over: 'Ce lien est terminé. Ce que vous voyez reste jusqu’à ce que vous fermiez la page, mais plus rien n’est envoyé ni enregistré.',
    asGuest: {
      view: 'Vous pouvez lire',
      comment: 'Vous pouvez commenter',
      edit: 'Vous pouvez modifier',
    },
    until: (time) => `Le lien est valable jusqu’au ${time}`,
    comments: 'Commentaires',
    tooMany: (most) =>
      `Il peut y avoir au plus ${number(most)} commentaires. Supprimez-en d’abord quelques-uns.`,
    notKept: 'Ce navigateur ne conserve pas le commentaire : son stockage est plein ou bloqué.',
    noComments: 'Aucun commentaire pour l’instant.',
    away: 'Les commentaires sont conservés sur le serveur, pour tous ceux qui voient cette relecture. Connectez-vous pour les lire et en écrire.',
    ofFile:
      'Les sous-titres d’un fichier ne sont que sur cet ordinateur, et ces commentaires aussi. Téléchargez-les en CSV pour les transmettre.',
    yourName: 'Votre nom',
    nameHint: 'Affiché avec vos commentaires.',
    write: (time) => `Commentaire à ${time}`,
    send: 'Commenter',
    answer: 'Répondre',
    answerTo: (name) => `Réponse à ${name}`,
    answerLabel: (name, time) => `Répondre à ${name}, à ${time}`,
    settle: 'Résolu',
    settleLabel: (name, time) => `Résolu : ${name}, à ${time}`,
    reopen: 'Rouvrir',
    reopenLabel: (name, time) => `Rouvrir : ${name}, à ${time}`,
    delete: 'Supprimer',
    deleteLabel: (name, time) => `Supprimer : ${name}, à ${time}`,
    goTo: (time) => `Aller à ${time}`,
    settled: (comments) =>
      counts(comments, { one: '# commentaire résolu', other: '# commentaires résolus' }),
    csv: 'Télécharger en CSV',
    notSent: (message) => `Non envoyé. ${message}`,
    offline: 'Non envoyé : il n’y a pas de connexion. Réessayez.',
    shown: (name, said, answers) =>
      answers === 0
        ? `${name} : ${said}`
        : `${name} : ${said} (${counts(answers, { one: '# réponse', other: '# réponses' })})`,
    open: 'Ouvrir',
    openLabel: (name) => `Ouvrir le commentaire de ${name}`,
  },
  translationText: {
    title: 'Traductions',
    another: 'Autre langue…',
    back: 'Retour aux sous-titres',
    signIn: 'Connectez-vous pour traduire ces sous-titres.',
    none: 'Ces sous-titres n’ont pas encore de traduction.',
    loading: 'Chargement de la traduction…',
    language: 'Traduction en',
    named: (language, state) =>
      state === 'completed' ? language : `${language} (${translationStates[state] ?? state})`,
    state: (state) => translationStates[state] ?? state,
    progress: (share) => percent(share),
    left: (wait) =>
      wait < 60
        ? 'encore moins d’une minute'
        : counts(Math.round(wait / 60), {
            one: 'encore environ # minute',
            other: 'encore environ # minutes',
          }),
    cancel: 'Annuler',
    erase: 'Supprimer cette traduction…',
    eraseDo: 'Supprimer',
    eraseHint: 'Elle est supprimée pour tout votre espace de travail, avec ce qui y a été modifié.',
    failed: (message) => `La traduction a échoué. ${message}`,
    again: 'Traduire à nouveau',
    changed:
      'Cette traduction est plus ancienne que l’original, qui a été modifié depuis. Une nouvelle ne demande que les phrases modifiées.',
    noAnswer: 'Pas de connexion au serveur. Réessayez.',
    dialog: {
      title: 'Traduire les sous-titres',
      language: 'Vers',
      provider: 'Par',
      profile: 'Lignes et vitesse de lecture',
      profileDefault: 'Les valeurs par défaut de ce serveur',
      formality: 'Tutoiement ou vouvoiement',
      formalities: { '': 'Automatique', formal: 'Vouvoiement', informal: 'Tutoiement' },
      start: 'Traduire',
      cancel: 'Annuler',
      none: 'Ce serveur ne dit pas avec quoi il traduit. Réessayez quand vous serez en ligne.',
      notFrom:
        'Les modèles de ce serveur ne connaissent pas la langue de ces sous-titres. L’exploitant peut configurer un modèle de langage.',
      stays:
        'Le serveur traduit avec les modèles de Firefox, de et vers l’anglais, ou en passant par l’anglais. Le texte n’est envoyé à personne d’autre. Ils ne connaissent ni le sujet ni vos termes ; un modèle de langage fait mieux.',
      leaves: (who) =>
        `Le texte de tous les sous-titres est envoyé ${who}, avec le sujet, les noms des locuteurs, et les noms et termes qui y figurent. Ni le son ni l’image ne sont envoyés.`,
      who: {
        deepl: 'à DeepL',
        google: 'à Google',
        libretranslate:
          'à LibreTranslate, ou au serveur de celui-ci choisi par l’exploitant de ce serveur',
        openai: 'à OpenAI',
        groq: 'à Groq',
        'workers-ai': 'à Cloudflare',
        'openai-compatible': 'à un modèle de langage choisi par l’exploitant de ce serveur',
      },
      whoElse: (name) => `à ${name}`,
    },
    counts: (sentences, found, missing = 0) =>
      missing > 0
        ? `${counts(sentences, { one: `${sentences - missing} sur # phrase`, other: `${sentences - missing} sur # phrases` })} ; ${captions(found)}.`
        : `${counts(sentences, { one: '# phrase, traduite', other: '# phrases, traduites chacune une fois et dans l’ordre' })} ; ${captions(found)}.`,
    missing: (missing, sentences, language) =>
      counts(missing, {
        one: `${sentences - missing} phrases sur ${sentences} sont traduites ; # est encore en ${language || 'langue originale'}.`,
        other: `${sentences - missing} phrases sur ${sentences} sont traduites ; # sont encore en ${language || 'langue originale'}.`,
      }),
    againMissing: (missing) => (missing === 1 ? 'La traduire à nouveau' : 'Les traduire à nouveau'),
    doubts: (found) => counts(found, { one: '# doute', other: '# doutes' }),
    warnings,
    nothingLeft: 'Rien n’est incertain.',
    nextDoubt: 'Doute suivant',
    nextWarning: 'Alerte suivante',
    source: 'Texte original',
    pairs: 'Phrases et leurs traductions',
    playFrom: (time) => `Lire à partir de ${time}`,
    edit: (at) => `Modifier la traduction de la phrase ${at}`,
    field: (at) => `Traduction de la phrase ${at}`,
    fieldHint: keyNames('Ctrl+Enter enregistre et continue, Échap la laisse telle qu’elle était.'),
    confirm: 'C’est juste',
    confirmLabel: (at) => `C’est juste : phrase ${at}`,
    confirmed: 'Vérifié par une personne',
    reopen: 'Remettre en doute',
    restore: 'Version du modèle',
    restoreLabel: (at) => `Version du modèle : phrase ${at}`,
    edited: 'Modifié',
    remembered: {
      person: 'Comme une personne l’a déjà traduit',
      engine: 'D’une traduction antérieure',
    },
    similar: (likeness, who) =>
      `${who === 'person' ? 'Une personne' : (who.split(' ')[1] ?? who)}, ${likeness === 1 ? 'la même phrase' : `semblable à ${percent(likeness)}`} :`,
    anew: 'Traduire à nouveau cette phrase',
    anewBy: (engine) => `À nouveau : ${engine}`,
    saving: 'Enregistrement…',
    saved: 'Enregistré',
    notSaved: (message) => `Non enregistré. ${message}`,
    retry: 'Enregistrer à nouveau',
    stale: (theirs) =>
      `Quelqu’un d’autre a changé cette phrase en « ${theirs} ». Enregistrez à nouveau pour garder la vôtre, ou appuyez sur Échap.`,
    download: 'Télécharger',
    downloadAs: (format) => `${format.toUpperCase()} dans cette langue`,
    downloadAll: 'Toutes les langues et tous les formats (ZIP)',
    downloaded: (name) => `${name} est téléchargé.`,
  },
};
