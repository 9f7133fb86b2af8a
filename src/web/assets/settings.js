// Progressive enhancement: each page works without this script.

const all = (selector) => document.querySelectorAll(selector)

// On a phone the navigation scrolls.
const nav = document.querySelector('.nav')
const current = nav?.querySelector('[aria-current]')
if (current) nav.scrollLeft = current.getBoundingClientRect().right - nav.clientWidth + 40

// A form is sent once: a second click or Enter would replace the response that shows the key.
// If no response arrives, or the user comes back, it can be sent again: the server accepts it only once.
const SEND_AGAIN_MS = 20_000
for (const form of all('form[method="post"]')) {
  const buttons = form.querySelectorAll('button:not([type="button"])')
  let settle = () => {}
  const setPending = (sender) => {
    const before = [...sender.childNodes]
    if (sender.dataset.pending) sender.textContent = sender.dataset.pending
    for (const button of buttons) button.disabled = true
    const timer = setTimeout(() => settle(), SEND_AGAIN_MS)
    settle = () => {
      clearTimeout(timer)
      sender.replaceChildren(...before)
      for (const button of buttons) button.disabled = false
      form.ariaBusy = null
    }
  }
  form.addEventListener('submit', (event) => {
    if (form.ariaBusy) return event.preventDefault()
    form.ariaBusy = 'true'
    // Deferred, because the name of a disabled button is not sent.
    setTimeout(() => setPending(event.submitter ?? buttons[0]))
  })
  addEventListener('pageshow', () => settle())
}

// Another site may lay a window over the consent page and close it between the two clicks of a double-click.
const DOUBLE_CLICK_MS = 700
const consent = document.querySelector('[data-deliberate]')
if (consent) {
  let timer
  const wait = () => {
    if (consent.form.ariaBusy) return
    consent.disabled = true
    clearTimeout(timer)
    timer = setTimeout(() => {
      consent.disabled = false
    }, DOUBLE_CLICK_MS)
  }
  for (const event of ['pageshow', 'focus']) addEventListener(event, wait)
}

// A new key is selected when it gets the focus, and leaving the page without copying it asks for confirmation.
const key = document.querySelector('[data-key]')
const warn = (event) => event.preventDefault()
const keyIsSafe = () => removeEventListener('beforeunload', warn)
if (key) {
  const select = () => getSelection().selectAllChildren(key)
  key.addEventListener('focus', select)
  if (document.activeElement === key) select()
  addEventListener('beforeunload', warn)
  addEventListener('copy', () => String(getSelection()).includes(key.textContent) && keyIsSafe())
  for (const link of all('[data-key-is-safe]')) link.addEventListener('click', keyIsSafe)
}

// Blocks of code in the guides get a button that copies them.
for (const [index, code] of all('.article pre').entries()) {
  const box = document.createElement('div')
  const button = document.createElement('button')
  code.id ||= `code-${index + 1}`
  Object.assign(button, { type: 'button', className: 'button copy' })
  button.dataset.copy = code.id
  button.append(document.createElement('span'))
  button.firstChild.textContent = 'Copy'
  box.className = 'code'
  code.replaceWith(box)
  box.append(code, button)
}

// Copying.
for (const button of all('[data-copy]')) {
  const words = button.querySelector('span')
  const before = words.textContent
  let back
  button.hidden = false
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy)
    try {
      await navigator.clipboard.writeText(source.textContent)
      words.textContent = 'Copied'
      button.classList.add('done')
      keyIsSafe()
    } catch {
      // There is no clipboard outside a secure context, so select the text for the user to copy.
      getSelection().selectAllChildren(source)
      words.textContent = 'Selected: now press Ctrl+C'
    }
    clearTimeout(back)
    back = setTimeout(() => {
      words.textContent = before
      button.classList.remove('done')
    }, 2500)
  })
}

// Snippets: the list becomes tabs.
for (const box of all('[data-tabs]')) {
  const list = document.createElement('div')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', box.dataset.tabs)
  const pairs = [...box.querySelectorAll('details')].map((details) => {
    const tab = document.createElement('button')
    const panel = document.createElement('div')
    const { id } = details
    Object.assign(tab, { type: 'button', role: 'tab', id: `${id}-tab` })
    tab.textContent = details.querySelector('summary').textContent
    tab.setAttribute('aria-controls', id)
    Object.assign(panel, { role: 'tabpanel', id })
    panel.setAttribute('aria-labelledby', tab.id)
    panel.append(details.querySelector('.snippet-body'))
    details.replaceWith(panel)
    list.append(tab)
    return [tab, panel]
  })
  const choose = (index) => {
    for (const [i, [tab, panel]] of pairs.entries()) {
      tab.setAttribute('aria-selected', i === index)
      tab.tabIndex = i === index ? 0 : -1
      panel.hidden = i !== index
    }
  }
  for (const [index, [tab]] of pairs.entries()) tab.addEventListener('click', () => choose(index))
  list.addEventListener('keydown', (event) => {
    const now = pairs.findIndex(([tab]) => tab === document.activeElement)
    const last = pairs.length - 1
    const next = { ArrowRight: now === last ? 0 : now + 1, ArrowLeft: now === 0 ? last : now - 1, Home: 0, End: last }
    if (!(event.key in next)) return
    event.preventDefault()
    choose(next[event.key])
    pairs[next[event.key]][0].focus()
  })
  choose(0)
  box.prepend(list)
}

// Shows the outcome of the first requests, until one succeeds. After ten minutes, it polls less often.
for (const line of all('[data-first-use]')) {
  const began = Date.now()
  const text = line.querySelector('[data-text]')
  const say = (kind, words) => {
    line.className = `waiting ${kind}`
    // Screen readers announce the text whenever it is set.
    if (text.textContent !== words) text.textContent = words
  }
  const offerReplacement = (href) => {
    Object.assign(line.querySelector('[data-replace]'), { href, hidden: false })
    // It need not be copied any more.
    keyIsSafe()
  }
  const ask = async () => {
    try {
      const response = await fetch(line.dataset.firstUse, { headers: { Accept: 'application/json' } })
      if ([401, 403, 404].includes(response.status)) return say('ended', line.dataset.ended)
      const { outcome } = await response.json()
      if (outcome) say(outcome.kind, outcome.text)
      if (outcome?.replace) offerReplacement(outcome.replace)
      if (outcome?.kind === 'served') return keyIsSafe()
    } catch {
      // The service is restarting, or the network is down: poll again.
    }
    setTimeout(ask, Date.now() - began < 600_000 ? 1500 : 15_000)
  }
  setTimeout(ask, 1500)
}

// What a key will see, beside its form.
for (const summary of all('[data-summary]')) {
  const form = summary.closest('form') ?? summary.parentElement.querySelector('form')
  const { standard } = summary.querySelector('[data-for="rateLimit"]').dataset
  const spaced = (name) => name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
  const inWords = (typed) =>
    typed.replace(/([^\s.=;,]+)\.([^\s.=;,]+)=/g, (_, list, field) => `Only ${list} with this ${spaced(field)}: `)
  const words = {
    expiry: () => {
      const chosen = form.querySelector('[name="expiry"]:checked')
      const text = chosen?.parentElement.textContent.trim()
      const { value, min } = form.elements.expiryDate
      if (chosen?.value === 'custom') return value >= min ? value : '—'
      return chosen?.value === 'never' ? text : `In ${text}`
    },
    rateLimit: () => {
      const { rateLimit, rateWindow } = form.elements
      if (rateLimit.value === '') return standard
      return /^[1-9]\d*$/.test(rateLimit.value) ? `${rateLimit.value} requests in ${rateWindow.value} seconds` : '—'
    },
    only: () => {
      const chosen = [...form.querySelectorAll('.options:has(:checked)')].map((group) => {
        const values = [...group.querySelectorAll(':checked')].map((box) => box.parentElement.textContent)
        return `${group.firstChild.textContent}: ${values.join(', ')}`
      })
      return [inWords(form.elements.only.value), ...chosen].filter(Boolean).join('; ') || 'All'
    },
    networks: () => form.elements.networks?.value || 'Everywhere',
  }
  const update = () => {
    for (const part of summary.querySelectorAll('[data-for]')) {
      const name = part.dataset.for
      if (words[name]) part.textContent = words[name]()
      else part.hidden = !form.querySelector(`[value="${name}"]`).checked
    }
    const typed = [form.elements.only, ...form.querySelectorAll('[name="onlyValue"]:checked')].map(({ value }) => value)
    for (const part of summary.querySelectorAll('[data-limited]'))
      part.hidden = !typed.some((value) => value.includes(part.dataset.limited))
  }
  form.addEventListener('input', update)
  addEventListener('pageshow', update)
}

// A chart describes the day under the pointer at once; with the keyboard, arrow keys move from day to day.
const describeDay = (chart, day) => {
  const { left, width } = chart.getBoundingClientRect()
  for (const shown of chart.querySelectorAll('.day.shown')) shown.classList.remove('shown')
  day.classList.add('shown')
  const line = chart.querySelector('output') ?? chart.appendChild(document.createElement('output'))
  line.textContent = day.dataset.words
  const middle = (day.getBoundingClientRect().left + day.getBoundingClientRect().right) / 2 - left
  line.style.left = `${Math.max(0, Math.min(middle - line.offsetWidth / 2, width - line.offsetWidth))}px`
}
const closeChart = (chart) => {
  chart.querySelector('output')?.remove()
  for (const shown of chart.querySelectorAll('.day.shown')) shown.classList.remove('shown')
}
for (const chart of all('[data-chart]')) {
  chart.tabIndex = 0
  const days = [...chart.querySelectorAll('.day')]
  // A browser would show the title as well, a second later.
  for (const day of days) {
    day.dataset.words = day.textContent
    day.replaceChildren()
    day.addEventListener('pointerenter', () => describeDay(chart, day))
  }
  chart.addEventListener('pointerleave', () => closeChart(chart))
  chart.addEventListener('blur', () => closeChart(chart))
  chart.addEventListener('keydown', ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
    const at = days.findIndex((day) => day.classList.contains('shown'))
    if (key === 'Escape') closeChart(chart)
    if (step) describeDay(chart, days.at(at === -1 ? -1 : Math.max(0, Math.min(at + step, days.length - 1))))
  })
}

// Secrets are removed when the page is left, so that going back does not show them again.
addEventListener('pagehide', () => {
  for (const secret of all('[data-secret]')) secret.textContent = 'Already shown'
})

// A menu closes on Escape and on a click elsewhere.
for (const menu of all('[data-closes]')) {
  addEventListener('click', (event) => menu.contains(event.target) || menu.removeAttribute('open'))
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    menu.removeAttribute('open')
    menu.querySelector('summary').focus()
  })
}

// Long lists can be filtered; groups of boxes get buttons that choose all or none of the boxes shown.
for (const list of all('[data-filter]')) {
  const items = [...list.querySelectorAll('[data-item]')].map((item) => [item, item.textContent.toLowerCase()])
  const boxes = list.querySelectorAll('input[type="checkbox"]')
  const finder = list.querySelector('[data-finder]')
  const input = finder?.querySelector('input')
  const update = () => {
    const words = (input?.value ?? '').toLowerCase().split(/\s+/)
    for (const [item, text] of items) item.hidden = !words.every((word) => text.includes(word))
    for (const group of list.querySelectorAll('[data-group]'))
      group.hidden = !group.querySelector('[data-item]:not([hidden])')
    if (!finder) return
    const shown = items.filter(([item]) => !item.hidden).length
    const chosen = [...boxes].filter((box) => box.checked).length
    const found = shown === 0 ? 'No match' : shown < items.length ? `${shown} shown` : ''
    const count = boxes.length > 0 ? `${chosen} of ${boxes.length} chosen` : ''
    finder.querySelector('[role="status"]').textContent = [found, count].filter(Boolean).join(', ')
  }
  for (const added of list.querySelectorAll('[data-finder], [data-choosers]')) added.hidden = false
  input?.addEventListener('input', update)
  input?.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault())
  list.addEventListener('change', update)
  list.addEventListener('click', ({ target }) => {
    if (!target.dataset.choose) return
    const shown = target.closest('[data-group]').querySelectorAll('[data-item]:not([hidden]) input')
    for (const box of shown) box.checked = target.dataset.choose === 'all'
    update()
  })
  // Browsers restore what was typed and chosen.
  addEventListener('pageshow', update)
}

// Passkeys: the server sends options, the browser asks the user, and the form sends the result.
const Passkeys = globalThis.PublicKeyCredential
const passkeyErrors = {
  InvalidStateError: 'This device already has a passkey for you here.',
  NotAllowedError: 'Nothing was done: it was cancelled, or took too long.',
}
for (const form of Passkeys?.parseCreationOptionsFromJSON ? all('[data-passkey]') : []) {
  const isNew = form.dataset.passkey === 'create'
  const button = form.querySelector('button')
  const line = form.querySelector('[role="alert"]')
  const ask = async () => {
    const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
    const { options } = await response.json()
    const publicKey = Passkeys[isNew ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'](options)
    return navigator.credentials[isNew ? 'create' : 'get']({ publicKey })
  }
  form.hidden = false
  for (const message of all('[data-no-passkey]')) message.hidden = true
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    line.textContent = ''
    try {
      const field = Object.assign(document.createElement('input'), { type: 'hidden', name: 'credential' })
      field.value = JSON.stringify(await ask())
      form.append(field)
      form.method = 'post'
      form.submit()
    } catch (error) {
      line.textContent = passkeyErrors[error.name] ?? 'This did not work. Reload the page and try again.'
      button.disabled = false
    }
  })
}
