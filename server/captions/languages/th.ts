import type { LanguageWords } from '../language-words.ts';

/** Thai, in words as the segmenter divides them. */
export const th: LanguageWords = {
  enclitics: 'ครับ ค่ะ คะ นะ ๆ ด้วย เลย แล้ว อยู่ ขึ้น ลง ไป มา นี้ นั้น',
  prepositions: 'ของ ใน จาก กับ ที่ บน ใต้ ถึง สำหรับ โดย ตาม แก่ ต่อ ระหว่าง',
  conjunctions: 'และ แต่ หรือ เพราะ ถ้า ซึ่ง ว่า เมื่อ ดังนั้น จึง เพื่อ',
  auxiliaries: 'เป็น คือ จะ ได้ ต้อง ควร อาจ กำลัง ให้ ก็ สามารถ',
  modifiers: 'ไม่ การ ความ',
};
