// Run once: it counts the tokens of a text.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { estimateTokens } from '../../src/lib/token-estimate.ts'
import { addDemoTasks, answersFor } from '../support/answers.ts'
import { startService } from '../support/service.ts'

/** How far the estimate may be from the count, in either direction. */
const OF_OUR_ANSWERS = 0.12
const OF_ANY_TEXT = 0.25

function assertNear(what: string, text: string, tolerance: number): void {
  const [estimate, count] = [estimateTokens(text), countTokens(text)]
  const off = estimate / count - 1
  assert.ok(Math.abs(off) <= tolerance, `${what}: ${estimate} for ${count}, ${(off * 100).toFixed(1)} % off`)
}

test('the estimate of our own answers is within 12 % of what the tokenizer counts', async (t) => {
  const service = await startService(t)
  await addDemoTasks(service, 100)
  for (const [what, text] of Object.entries(await answersFor(service))) assertNear(what, text, OF_OUR_ANSWERS)
})

const hashes = Array.from({ length: 60 }, (_, i) => createHash('sha256').update(String(i)).digest())

/** What people write into tasks, and what a task may hold. */
const texts: Record<string, string> = {
  Chinese:
    '请在本周五之前确认与供应商的亚麻布订单。价格已经谈妥，数量尚未确定。如果本月支付定金，则第四十九周交货。请通知仓库主管，并更新采购计划表。',
  Japanese:
    'サプライヤーとの打ち合わせの後、春のリネンの注文を確認してください。価格は合意済みで、数量は未定です。今月中に手付金を支払えば、第49週に納品されます。',
  Korean:
    '공급업체와의 통화 후 봄 린넨 주문을 확인하세요. 가격은 합의되었고 수량은 미정입니다. 이번 달에 보증금을 지불하면 49주차에 배송됩니다.',
  Arabic:
    'يرجى تأكيد طلب الكتان الربيعي مع المورد قبل يوم الجمعة. تم الاتفاق على السعر، والكمية لم تحدد بعد. يتم التسليم في الأسبوع التاسع والأربعين إذا تم دفع العربون هذا الشهر.',
  Hebrew:
    'נא לאשר את הזמנת הפשתן לאביב עם הספק לפני יום שישי. המחיר סוכם והכמות עדיין פתוחה. המשלוח בשבוע ארבעים ותשע אם המקדמה תשולם החודש.',
  Russian:
    'Подтвердите весенний заказ льна у поставщика до пятницы. Цена согласована, количество ещё не определено. Доставка на сорок девятой неделе.',
  German:
    'Bitte bestätigen Sie die Frühjahrsbestellung für Leinen beim Lieferanten bis Freitag. Der Preis ist vereinbart, die Menge noch offen.',
  Portuguese:
    'Confirme a encomenda de linho da primavera com o fornecedor até sexta-feira. O preço está acordado, a quantidade em aberto. Atenção às condições.',
  Hindi: 'कृपया शुक्रवार से पहले आपूर्तिकर्ता के साथ वसंत लिनन ऑर्डर की पुष्टि करें। कीमत तय हो गई है, मात्रा अभी खुली है।',
  emoji: '🧵 Order linen 🚚📦 before Friday 🎉👩‍💻👨‍👩‍👧‍👦 ✅ done ❤️🔥 🇩🇪🇫🇷 👍🏽 ',
  code: readFileSync(new URL('../../src/http/handler.ts', import.meta.url), 'utf8'),
  prose: readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8'),
  'long ids in hex': hashes.map((hash) => hash.toString('hex')).join('","'),
  'long ids in base64': hashes.map((hash) => hash.toString('base64url')).join('","'),
  markup: '<script>alert("x")</script><img src=x onerror=alert(1)>&lt;b&gt; \\u003cb\\u003e '.repeat(5),
}

for (const [what, text] of Object.entries(texts))
  test(`the estimate of ${what} is within 25 % of what the tokenizer counts`, () => assertNear(what, text, OF_ANY_TEXT))

test('an estimate is there for any text', () => {
  assert.equal(estimateTokens(''), 0)
  for (const text of ['\0', '\ud800', '\u{e0041}', ' ', '\uffff'])
    assert.ok(estimateTokens(text) >= 1, JSON.stringify(text))
})
